import { PasswordInput, TextInput } from "@mantine/core";
import { ApiError } from "../api/api-error";
import { change } from "../api/client";
import { confirmWith } from "../session/confirm-sign-in";
import { useViewer } from "../session/session";
import { FormDialog } from "../ui/form-dialog";
import { NameField } from "../ui/name-field";
import { toast } from "../ui/toast";
import {
  ChangeEmailDocument,
  ChangeNameDocument,
  ChangePasswordDocument,
  RemovePasswordDocument,
} from "./documents.generated";

const CURRENT_PASSWORD = "currentPassword";

export function ChangeEmail({ onClosed }: { onClosed: () => void }) {
  const { email } = useViewer();
  const submit = async (form: FormData) => {
    const input = { email: String(form.get("email")) };
    const { changeEmail } = await change(ChangeEmailDocument, { input });
    toast(`Your e-mail is now ${changeEmail.email}.`);
  };
  return (
    <FormDialog
      title="Change your e-mail"
      submit="Change e-mail"
      conflict="email"
      onSubmit={submit}
      onClosed={onClosed}
    >
      {({ field }) => (
        <TextInput
          {...field("email")}
          type="email"
          label="New e-mail"
          description={`Your current e-mail is ${email}.`}
          autoComplete="username"
          maxLength={254}
          required
          data-autofocus
        />
      )}
    </FormDialog>
  );
}

/** Changes the name, or removes it if the field is empty. */
export function ChangeName({ onClosed }: { onClosed: () => void }) {
  const { name } = useViewer();
  return (
    <FormDialog
      title="Change your name"
      submit="Change name"
      onSubmit={(form) =>
        change(ChangeNameDocument, { input: { name: String(form.get("name")).trim() || null } })
      }
      done="Changed your name."
      onClosed={onClosed}
    >
      {({ field }) => (
        <NameField
          field={field}
          description="Colleagues see it on your messages. If it’s empty, they see your e-mail address."
          autoComplete="name"
          defaultValue={name ?? ""}
          maxLength={100}
          required={false}
        />
      )}
    </FormDialog>
  );
}

/** Changes the password or sets the first one; either ends the member's other sessions. */
export function ChangePassword({ isFirst, onClosed }: { isFirst: boolean; onClosed: () => void }) {
  const { email } = useViewer();
  const submit = async (form: FormData) => {
    const currentPassword = isFirst ? null : String(form.get(CURRENT_PASSWORD));
    // Confirms the sign-in, because changing the password would otherwise ask for the same password again.
    if (currentPassword !== null) await confirmWith({ password: currentPassword }).catch(exceptPasskey);
    const input = { currentPassword, newPassword: String(form.get("newPassword")) };
    await change(ChangePasswordDocument, { input });
    toast(isFirst ? "Set your password." : "Changed your password.");
  };
  return (
    <FormDialog
      title={isFirst ? "Set a password" : "Change your password"}
      submit={isFirst ? "Set password" : "Change password"}
      codes={{ invalid_credentials: CURRENT_PASSWORD }}
      onSubmit={submit}
      onClosed={onClosed}
    >
      {({ field }) => (
        <>
          <p>Your other sessions will end.</p>
          {/* Tells password managers which account the password belongs to. */}
          <input type="hidden" autoComplete="username" value={email} />
          {!isFirst && (
            <PasswordInput
              {...field(CURRENT_PASSWORD)}
              label="Current password"
              autoComplete="current-password"
              required
              visibilityToggleButtonProps={{ "aria-label": "Show the current password" }}
            />
          )}
          <PasswordInput
            {...field("newPassword")}
            label="New password"
            description="12 or more characters"
            autoComplete="new-password"
            minLength={12}
            maxLength={200}
            required
            visibilityToggleButtonProps={{ "aria-label": "Show the new password" }}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Ignores `passkey_required`: members with passkeys cannot confirm with a password; the change asks for a passkey. */
function exceptPasskey(error: unknown): void {
  if (!(error instanceof ApiError && error.code === "passkey_required")) throw error;
}

/** Removes the password of a member with a passkey after a confirmation. */
export const RemovePassword = ({ onClosed }: { onClosed: () => void }) => (
  <FormDialog
    title="Remove your password?"
    submit="Remove password"
    isDestructive
    onSubmit={() => change(RemovePasswordDocument, {})}
    done="Removed your password."
    onClosed={onClosed}
  >
    <p>
      You’ll sign in with a passkey only. If you lose all your passkeys, an administrator has to help you.
    </p>
  </FormDialog>
);
