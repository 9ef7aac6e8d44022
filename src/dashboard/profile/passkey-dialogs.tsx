import { TextInput } from "@mantine/core";
import { change } from "../api/client";
import { execute } from "../api/execute";
import { browserOf } from "../members/browser";
import { RemovePasskeyDocument } from "../members/documents.generated";
import type { PasskeyEntry } from "../members/passkeys";
import { createPasskey } from "../session/passkey";
import { useViewer } from "../session/session";
import { FormDialog, type FormState } from "../ui/form-dialog";
import { toast } from "../ui/toast";
import { CURRENT_PASSWORD, CurrentPassword } from "./account-dialogs";
import {
  AddPasskeyDocument,
  RenamePasskeyDocument,
  StartPasskeyRegistrationDocument,
} from "./documents.generated";

const NameInput = ({ field, defaultValue }: Pick<FormState, "field"> & { defaultValue: string }) => (
  <TextInput
    {...field("name")}
    label="Name"
    description="To tell your passkeys apart."
    defaultValue={defaultValue}
    maxLength={100}
    required
    data-autofocus
  />
);

/** Adds a passkey, which the browser creates after asking the user. */
export function AddPasskey({ onClosed }: { onClosed: () => void }) {
  const { email } = useViewer();
  const submit = async (form: FormData) => {
    const currentPassword = String(form.get(CURRENT_PASSWORD));
    const { startPasskeyRegistration } = await execute(StartPasskeyRegistrationDocument, {
      input: { currentPassword },
    });
    const passkey = await createPasskey(startPasskeyRegistration.options as object);
    const input = { ...passkey, name: String(form.get("name")) };
    const { addPasskey } = await change(AddPasskeyDocument, { input });
    toast(`Added the passkey ${addPasskey.name}.`);
  };
  return (
    <FormDialog
      title="Add a passkey"
      submit="Continue"
      fields={["name", CURRENT_PASSWORD]}
      codes={{ invalid_credentials: CURRENT_PASSWORD }}
      onSubmit={submit}
      onClosed={onClosed}
    >
      {({ field }) => (
        <>
          <p>From then on, your password alone is not enough to sign in.</p>
          <NameInput field={field} defaultValue={browserOf(navigator.userAgent)} />
          <input type="hidden" autoComplete="username" value={email} />
          <CurrentPassword field={field} />
        </>
      )}
    </FormDialog>
  );
}

type Props = { passkey: PasskeyEntry; onClosed: () => void };

export const RenamePasskey = ({ passkey, onClosed }: Props) => (
  <FormDialog
    title={`Rename “${passkey.name}”`}
    submit="Rename"
    fields={["name"]}
    onSubmit={async (form) => {
      const input = { id: passkey.id, name: String(form.get("name")) };
      const { renamePasskey } = await change(RenamePasskeyDocument, { input });
      toast(`Renamed ${passkey.name} to ${renamePasskey.name}.`);
    }}
    onClosed={onClosed}
  >
    {({ field }) => <NameInput field={field} defaultValue={passkey.name} />}
  </FormDialog>
);

/** Removes a passkey after a confirmation. */
export const RemovePasskey = ({ passkey, onClosed }: Props) => (
  <FormDialog
    title={`Remove “${passkey.name}”?`}
    submit="Remove passkey"
    isDestructive
    onSubmit={async () => {
      await change(RemovePasskeyDocument, { id: passkey.id });
      toast(`Removed the passkey ${passkey.name}.`);
    }}
    onClosed={onClosed}
  >
    <p>You can no longer sign in with it. Without passkeys, you sign in with your password alone.</p>
  </FormDialog>
);
