import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { change } from "../api/client";
import { DeactivateOrganizationDocument, ReactivateOrganizationDocument } from "../api/documents.generated";
import { useViewer } from "../session/session";
import { Dialog, DialogButtons } from "../ui/dialog";
import { Failure } from "../ui/failure";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import styles from "./organization.module.css";

/** Deactivates or reactivates the organization after its slug was typed as a confirmation. */
export function SwitchOrganization({ onClosed }: { onClosed: () => void }) {
  const { organization } = useViewer();
  // Keeps the question while the response already changes the state.
  const [deactivates] = useState(organization.deactivatedAt === null);
  const verb = deactivates ? "Deactivate" : "Reactivate";
  return (
    <Dialog title={`${verb} ${organization.name}?`} onClosed={onClosed}>
      {(close) => <Form verb={verb} deactivates={deactivates} close={close} />}
    </Dialog>
  );
}

function Form({ verb, deactivates, close }: { verb: string; deactivates: boolean; close: () => void }) {
  const { organization } = useViewer();
  const { busy, error, run } = useTask();
  const [typed, setTyped] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() !== organization.slug) return;
    return run(async () => {
      if (deactivates) await change(DeactivateOrganizationDocument, {});
      else await change(ReactivateOrganizationDocument, {});
      toast(`${deactivates ? "Deactivated" : "Reactivated"} ${organization.name}.`);
      close();
    });
  };
  return (
    <form onSubmit={submit}>
      <p className={styles.text}>
        {deactivates
          ? "All requests with this organization’s keys will fail with 401 until you reactivate it. Members keep read-only access."
          : "API keys start working again immediately."}
      </p>
      <TextInput
        label={
          <>
            Type <code className={styles.typed}>{organization.slug}</code> to confirm
          </>
        }
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
      />
      {error !== undefined && <Failure error={error} />}
      <DialogButtons>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button
          type="submit"
          color={deactivates ? "red" : undefined}
          disabled={typed.trim() !== organization.slug}
          loading={busy}
        >
          {verb}
        </Button>
      </DialogButtons>
    </form>
  );
}
