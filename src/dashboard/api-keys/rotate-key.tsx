import { Button, NativeSelect } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { change } from "../api/client";
import { type KeyFragment, RotateApiKeyDocument } from "../api/documents.generated";
import { Dialog, DialogButtons } from "../ui/dialog";
import { Failure } from "../ui/failure";
import { useTask } from "../ui/task";
import styles from "./dialogs.module.css";
import { KeyFacts } from "./key-facts";
import { showSecret } from "./shown-secret";

const GRACE = [
  { value: "0", label: "Not at all: revoke it now" },
  { value: "900", label: "For 15 minutes" },
  { value: "3600", label: "For an hour" },
  { value: "21600", label: "For 6 hours" },
  { value: "86400", label: "For 24 hours" },
];

/** Asks how long the old key goes on beside its successor, makes that, and hands its secret over. */
export const RotateKey = ({ apiKey, onClosed }: { apiKey: KeyFragment; onClosed: () => void }) => (
  <Dialog title={`Rotate “${apiKey.name}”`} onClosed={onClosed}>
    {(close) => <RotateForm apiKey={apiKey} close={close} />}
  </Dialog>
);

function RotateForm({ apiKey, close }: { apiKey: KeyFragment; close: () => void }) {
  const { busy, error, run } = useTask();
  const [grace, setGrace] = useState("3600");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    return run(async () => {
      const variables = { id: apiKey.id, graceSeconds: Number(grace) };
      const made = await change(RotateApiKeyDocument, variables, { waitUntilShown: false });
      const { name, agent } = made.rotateApiKey.apiKey;
      showSecret({ secret: made.rotateApiKey.secret, title: "API key rotated", name, agent: agent.name });
      close();
    });
  };
  return (
    <form onSubmit={submit}>
      <KeyFacts apiKey={apiKey} />
      <p className={styles.text}>
        A new key takes over its name and agent.{" "}
        {grace === "0"
          ? "What has the old one is refused until it has the new one."
          : "Put it in place while both are accepted."}
      </p>
      <NativeSelect
        label="The old key still works"
        description={
          grace === "0"
            ? "It is refused with status 403 from its next request on."
            : "After that it is refused with status 401."
        }
        data={GRACE}
        value={grace}
        onChange={(event) => setGrace(event.currentTarget.value)}
        data-autofocus
      />
      {error !== undefined && <Failure error={error} />}
      <DialogButtons>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={busy}>
          Rotate the key
        </Button>
      </DialogButtons>
    </form>
  );
}
