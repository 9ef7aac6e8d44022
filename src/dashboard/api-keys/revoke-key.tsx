import { Button } from "@mantine/core";
import { change } from "../api/client";
import { type KeyFragment, RevokeApiKeyDocument } from "../api/documents.generated";
import { Dialog, DialogButtons } from "../ui/dialog";
import { Failure } from "../ui/failure";
import { useTask } from "../ui/task";
import { toast } from "../ui/toast";
import styles from "./dialogs.module.css";
import { KeyFacts } from "./key-facts";

/** Revokes a key after a confirmation, because it cannot be undone. */
export function RevokeKey({ apiKey, onClosed }: { apiKey: KeyFragment; onClosed: () => void }) {
  const { busy, error, run } = useTask();
  const revoke = (close: () => void) =>
    run(async () => {
      await change(RevokeApiKeyDocument, { id: apiKey.id });
      toast(`Revoked ${apiKey.name}.`);
      close();
    });
  return (
    <Dialog title={`Revoke “${apiKey.name}”?`} onClosed={onClosed}>
      {(close) => (
        <>
          <KeyFacts apiKey={apiKey} />
          <p className={styles.text}>
            Anything using this key will immediately get a 403 error. This can’t be undone.
          </p>
          {error !== undefined && <Failure error={error} />}
          <DialogButtons>
            <Button variant="default" data-autofocus onClick={close}>
              Cancel
            </Button>
            <Button color="red" loading={busy} onClick={() => revoke(close)}>
              Revoke key
            </Button>
          </DialogButtons>
        </>
      )}
    </Dialog>
  );
}
