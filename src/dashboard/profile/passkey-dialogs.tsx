import { TextInput } from "@mantine/core";
import { change } from "../api/client";
import { execute } from "../api/execute";
import { browserOf } from "../members/browser";
import type { PasskeyEntry } from "../members/passkeys";
import { createPasskey } from "../session/passkey";
import { FormDialog, type FormState } from "../ui/form-dialog";
import { toast } from "../ui/toast";
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
    <FormDialog
      title="Add a passkey"
      submit="Continue"
      fields={["name"]}
      onSubmit={submit}
      onClosed={onClosed}
    >
      {({ field }) => (
        <>
          <p>From then on, your password alone is not enough to sign in.</p>
          <NameInput field={field} defaultValue={browserOf(navigator.userAgent)} />
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
