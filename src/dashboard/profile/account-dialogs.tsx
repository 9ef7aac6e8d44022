import { PasswordInput, TextInput } from "@mantine/core";
import { change } from "../api/client";
import { useViewer } from "../session/session";
import { FormDialog, type FormState } from "../ui/form-dialog";
import { toast } from "../ui/toast";
import { ChangeEmailDocument, ChangePasswordDocument } from "./documents.generated";

export const CURRENT_PASSWORD = "currentPassword";

export const CurrentPassword = ({ field }: Pick<FormState, "field">) => (
  <PasswordInput
    {...field(CURRENT_PASSWORD)}
    label="Current password"
    autoComplete="current-password"
    required
    visibilityToggleButtonProps={{ "aria-label": "Show the current password" }}
  />
);

/** Changes the address that the member signs in with. */
export function ChangeEmail({ onClosed }: { onClosed: () => void }) {
  const { email } = useViewer();
  const submit = async (form: FormData) => {
    const input = { email: String(form.get("email")), currentPassword: String(form.get(CURRENT_PASSWORD)) };
    const { changeEmail } = await change(ChangeEmailDocument, { input });
    toast(`From now on, sign in as ${changeEmail.email}.`);
  };
  return (
    <FormDialog
      title="Change your email"
      submit="Change email"
      fields={["email", CURRENT_PASSWORD]}
      conflict="email"
      codes={{ invalid_credentials: CURRENT_PASSWORD }}
      onSubmit={submit}
      onClosed={onClosed}
    >
      {({ field }) => (
        <>
          <TextInput
            {...field("email")}
            type="email"
            label="New email"
            description={`You currently sign in as ${email}.`}
            autoComplete="username"
            maxLength={254}
            required
            data-autofocus
          />
          <CurrentPassword field={field} />
        </>
      )}
    </FormDialog>
  );
}

/** Changes the password, which ends the member's other sessions. */
export function ChangePassword({ onClosed }: { onClosed: () => void }) {
  const { email } = useViewer();
  const submit = async (form: FormData) => {
    const input = {
      currentPassword: String(form.get(CURRENT_PASSWORD)),
      newPassword: String(form.get("newPassword")),
    };
    await change(ChangePasswordDocument, { input });
    toast("Changed your password.");
  };
  return (
    <FormDialog
      title="Change your password"
      submit="Change password"
      fields={[CURRENT_PASSWORD, "newPassword"]}
      codes={{ invalid_credentials: CURRENT_PASSWORD }}
      onSubmit={submit}
      onClosed={onClosed}
    >
      {({ field }) => (
        <>
          <p>Your other sessions will be ended.</p>
          {/* Tells password managers which account the password belongs to. */}
          <input type="hidden" autoComplete="username" value={email} />
          <CurrentPassword field={field} />
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
