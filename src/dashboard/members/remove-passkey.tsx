import { change } from "../api/client";
import { FormDialog } from "../ui/form-dialog";
import { RemovePasskeyDocument } from "./documents.generated";
import type { PasskeyEntry } from "./passkeys";

/**
 * Removes a passkey after a confirmation.
 * @param consequence the effect on the member
 */
export const RemovePasskey = (props: {
  passkey: PasskeyEntry;
  consequence: string;
  onClosed: () => void;
}) => (
  <FormDialog
    title={`Remove “${props.passkey.name}”?`}
    submit="Remove passkey"
    isDestructive
    onSubmit={() => change(RemovePasskeyDocument, { id: props.passkey.id })}
    done={`Removed the passkey ${props.passkey.name}.`}
    onClosed={props.onClosed}
  >
    <p>It can no longer be used to sign in. {props.consequence}</p>
  </FormDialog>
);
