import { TextInput } from "@mantine/core";
import { change } from "../api/client";
import { useIdempotencyKey } from "../api/idempotency";
import { showSecret } from "../secrets/shown-secret";
import "../secrets/secret-dialog";
import { useSignInOptions } from "../session/sign-in-options";
import { FormDialog } from "../ui/form-dialog";
import { toast } from "../ui/toast";
import { type InvitationMail, InviteMemberDocument, type Permission } from "./documents.generated";
import { PermissionFields, permissionsOf } from "./permissions";

/** The invited person. */
export interface Invitee {
  email: string;
  permissions: readonly Permission[];
}

/** A listed member. */
export type MemberEntry = Invitee & {
  id: string;
  name: string | null;
  hasPassword: boolean;
  identity: { isCurrent: boolean } | null;
};

/** The note about the invitation e-mail, for the dialog that shows the invitation link. */
const MAIL: Readonly<Record<InvitationMail, (email: string) => string>> = {
  sent: (email) => `We also sent the link to ${email}.`,
  failed: () => "The e-mail could not be sent. Pass on the link yourself.",
  off: () => "This server does not send e-mail. Pass on the link yourself.",
};

/**
 * Invites a person; the invitation link is shown only once.
 * @param to a person who is already invited; the earlier link stops working
 */
export function InviteMember({ to, onClosed }: { to?: Invitee; onClosed: () => void }) {
  const keyOf = useIdempotencyKey();
  const { password, issuerName } = useSignInOptions();
  const submit = async (form: FormData) => {
    const fields = { email: to?.email ?? String(form.get("email")), permissions: permissionsOf(form) };
    const input = { ...fields, idempotencyKey: keyOf(fields) };
    const { inviteMember } = await change(InviteMemberDocument, { input }, { waitUntilShown: false });
    const { link, mail, invitation } = inviteMember;
    // Only the first response contains the link, and that response was lost.
    if (link === null || mail === null) {
      toast(`Invited ${invitation.email}. Invite again to see a new link.`);
      return;
    }
    showSecret({
      secret: link,
      title: "Invitation created",
      name: invitation.email,
      kind: "invitation",
      note: `${MAIL[mail](invitation.email)} It works once and expires after 72 hours.`,
      isDelivered: mail === "sent",
    });
  };
  return (
    <FormDialog
      title={to ? `Invite ${to.email} again` : "Invite a member"}
      submit={to ? "Invite again" : "Invite"}
      conflict="email"
      onSubmit={submit}
      onClosed={onClosed}
    >
      {({ field }) => (
        <>
          {to ? (
            <p>This creates a new link. The earlier one stops working.</p>
          ) : (
            <TextInput
              {...field("email")}
              type="email"
              label="E-mail"
              description={`They’ll ${password ? "choose a password" : `sign in with ${issuerName}`} when they accept.`}
              maxLength={254}
              required
              data-autofocus
            />
          )}
          <PermissionFields granted={to?.permissions ?? []} />
        </>
      )}
    </FormDialog>
  );
}
