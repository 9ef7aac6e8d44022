import { change } from "../api/client";
import { execute } from "../api/execute";
import { browserOf } from "../members/browser";
import type { PasskeyEntry } from "../members/passkeys";
import { createPasskey } from "../session/passkey";
import { FormDialog } from "../ui/form-dialog";
import { NameField, RenameDialog } from "../ui/name-field";
import { toast } from "../ui/toast";
import {
  AddPasskeyDocument,
  RenamePasskeyDocument,
  StartPasskeyRegistrationDocument,
} from "./documents.generated";

/** Properties of the field for a passkey's name. */
const NAME = { description: "To tell your passkeys apart.", maxLength: 100 };

/** Adds a passkey; the browser creates it after asking the user. */
export function AddPasskey({ onClosed }: { onClosed: () => void }) {
  const submit = async (form: FormData) => {
    const { startPasskeyRegistration } = await execute(StartPasskeyRegistrationDocument, {});
    const passkey = await createPasskey(startPasskeyRegistration.options as object);
    const input = { ...passkey, name: String(form.get("name")) };
    const { addPasskey } = await change(AddPasskeyDocument, { input });
    toast(`Added the passkey ${addPasskey.name}.`);
  };
  return (
    <FormDialog title="Add a passkey" submit="Continue" onSubmit={submit} onClosed={onClosed}>
      {({ field }) => (
        <>
          <p>Once you add a passkey, your password alone is no longer enough to sign in.</p>
          <NameField field={field} {...NAME} defaultValue={browserOf(navigator.userAgent)} />
        </>
      )}
    </FormDialog>
  );
}

type Props = { passkey: PasskeyEntry; onClosed: () => void };

export const RenamePasskey = ({ passkey: { id, name }, onClosed }: Props) => (
  <RenameDialog
    {...NAME}
    of={id}
    name={name}
    onRename={(next) => change(RenamePasskeyDocument, { input: { id, name: next } })}
    onClosed={onClosed}
  />
);
