import { Button, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { KEY_NAME_MAX_LENGTH } from "../../features/api-keys/api-key.limits";
import { ApiError, isAboutField, sentenceOf } from "../api/api-error";
import { change } from "../api/client";
import { type KeyFragment, RenameApiKeyDocument } from "../api/documents.generated";
import { Dialog, DialogButtons } from "../ui/dialog";
import { Failure } from "../ui/failure";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import styles from "./dialogs.module.css";

/** Renames a key. */
export const RenameKey = ({ apiKey, onClosed }: { apiKey: KeyFragment; onClosed: () => void }) => (
  <Dialog title={`Rename “${apiKey.name}”`} onClosed={onClosed}>
    {(close) => <RenameForm apiKey={apiKey} close={close} />}
  </Dialog>
);

function RenameForm({ apiKey, close }: { apiKey: KeyFragment; close: () => void }) {
  const { busy, error, run, clearError } = useTask();
  const badName = isAboutField(error, "name") || (error instanceof ApiError && error.code === "conflict");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get("name"));
    return run(async () => {
      await change(RenameApiKeyDocument, { id: apiKey.id, name });
      toast(`Renamed ${apiKey.name} to ${name.trim()}.`);
      close();
    });
  };
  return (
    <form onSubmit={submit} className={styles.form}>
      <TextInput
        name="name"
        label="New name"
        defaultValue={apiKey.name}
        maxLength={KEY_NAME_MAX_LENGTH}
        required
        withAsterisk={false}
        autoComplete="off"
        data-autofocus
        onChange={clearError}
        error={badName && sentenceOf(error)}
      />
      {error !== undefined && !badName && <Failure error={error} />}
      <DialogButtons>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={busy}>
          Rename
        </Button>
      </DialogButtons>
    </form>
  );
}
