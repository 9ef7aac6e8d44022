import { Checkbox } from "@mantine/core";
import { change, usePolledQuery } from "../api/client";
import { useViewer } from "../session/session";
import { FormDialog } from "../ui/form-dialog";
import { Time } from "../ui/format";
import { toast } from "../ui/toast";
import styles from "./dialogs.module.css";
import { type KeyFragment, ReplacedKeyDocument, RevokeApiKeyDocument } from "./documents.generated";
import { KeyFacts } from "./key-facts";

/**
 * Revokes a key after a confirmation, because this cannot be undone. After a rotation, the new key may be the last
 * valid one, so the dialog offers to keep the old one.
 */
export function RevokeKey({ apiKey, onClosed }: { apiKey: KeyFragment; onClosed: () => void }) {
  const { data, error, isLoading } = useReplaced(apiKey);
  const old = data?.apiKeys.nodes[0];
  const revoke = async (form: FormData) => {
    const keepReplaced = form.get("keep") !== null;
    await change(RevokeApiKeyDocument, { id: apiKey.id, keepReplaced });
    toast(`Revoked ${apiKey.name}.${keepReplaced ? " The old key still works." : ""}`);
  };
  return (
    <FormDialog
      title={`Revoke “${apiKey.name}”?`}
      submit="Revoke key"
      isDestructive
      // The dialog can offer to keep the old key only after looking it up.
      isLoading={isLoading}
      onSubmit={revoke}
      onClosed={onClosed}
    >
      <KeyFacts apiKey={apiKey} />
      <p>Anything using this key will immediately get a 403 error. This can’t be undone.</p>
      {error !== null && data === undefined && (
        <p className={styles.warning}>
          The dashboard could not check if this key replaces another one. If it does, the old key stops
          working when its grace period ends.
        </p>
      )}
      {old !== undefined && (
        <>
          <p className={styles.warning}>
            This key replaces <code>{old.hint}</code>, which{" "}
            {old.expiresAt === null ? (
              "still works"
            ) : (
              <>
                expires <Time value={old.expiresAt} />
              </>
            )}
            . If both stop working, no key from this rotation is left.
          </p>
          <Checkbox
            name="keep"
            defaultChecked
            label="Keep the old key"
            description="It works as it did before the rotation, with its original expiration."
          />
        </>
      )}
    </FormDialog>
  );
}

/** Looks up the active key that this key replaced. Skipped if this key is inactive or was itself replaced. */
function useReplaced({ id, state, replacedById }: KeyFragment) {
  const { deactivated } = useViewer();
  const enabled = state === "active" && replacedById === null && !deactivated;
  return usePolledQuery(ReplacedKeyDocument, { id }, { enabled });
}
