import { Button } from "@mantine/core";
import { change } from "../api/client";
import { type KeyFragment, RevokeApiKeyDocument } from "../api/documents.generated";
import { Dialog, DialogButtons } from "../ui/dialog";
import { Failure } from "../ui/failure";
import { useTask } from "../ui/task";
import { toast } from "../ui/toasts";
import styles from "./dialogs.module.css";
import { KeyFacts } from "./key-facts";

/** Asks whether a key is really to be revoked: it cannot be undone. */
export function RevokeKey({ apiKey, onClosed }: { apiKey: KeyFragment; onClosed: () => void }) {
  const { busy, error, run } = useTask();
  const revoke = (close: () => void) =>
    run(async () => {
      await change(RevokeApiKeyDocument, { id: apiKey.id });
      toast(`${apiKey.name} is revoked.`);
      close();
    });
  return (
    <Dialog title={`Revoke “${apiKey.name}”?`} onClosed={onClosed}>
      {(close) => (
        <>
          <KeyFacts apiKey={apiKey} />
          <p className={styles.text}>
            Whatever calls as <strong>{apiKey.agent.name}</strong> with this key stops working: it is refused
            with status 403 from its next request on. This cannot be undone.
          </p>
          {error !== undefined && <Failure error={error} />}
          <DialogButtons>
            <Button variant="default" data-autofocus onClick={close}>
              Keep the key
            </Button>
            <Button color="red" loading={busy} onClick={() => revoke(close)}>
              Revoke the key
            </Button>
          </DialogButtons>
        </>
      )}
    </Dialog>
  );
}
