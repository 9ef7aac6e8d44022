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
  { value: "0", label: "Don’t – revoke immediately" },
  { value: "900", label: "15 minutes" },
  { value: "3600", label: "1 hour" },
  { value: "21600", label: "6 hours" },
  { value: "86400", label: "24 hours" },
];

/** Rotates a key: asks how long the old key keeps working and shows the secret of the new one. */
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
      const rotated = await change(RotateApiKeyDocument, variables, { waitUntilShown: false });
      const { name, agent } = rotated.rotateApiKey.apiKey;
      showSecret({ secret: rotated.rotateApiKey.secret, title: "API key rotated", name, agent: agent.name });
      close();
    });
  };
  return (
    <form onSubmit={submit}>
      <KeyFacts apiKey={apiKey} />
      <p className={styles.text}>
        We’ll create a new key with the same name and agent.{" "}
        {grace === "0"
          ? "Anything still using the old key will fail immediately."
          : "Both work until the old one expires."}
      </p>
      <NativeSelect
        label="Keep the old key working for"
        description={
          grace === "0" ? "Requests with the old key return 403." : "After that, requests return 401."
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
          Rotate key
        </Button>
      </DialogButtons>
    </form>
  );
}
