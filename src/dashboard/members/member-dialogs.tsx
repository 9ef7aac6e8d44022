import { change } from "../api/client";
import { useViewer } from "../session/session";
import { FormDialog } from "../ui/form-dialog";
import { toast } from "../ui/toast";
import {
  ChangePermissionsDocument,
  RemoveMemberDocument,
  UnlinkIdentityDocument,
  WithdrawInvitationDocument,
} from "./documents.generated";
import type { MemberEntry } from "./invite-member";
import { PermissionFields, permissionsOf } from "./permissions";

type Props = { member: MemberEntry; onClosed: () => void };

/** Grants and revokes a member's permissions. */
export function ChangePermissions({ member, onClosed }: Props) {
  const submit = async (form: FormData) => {
    const chosen = permissionsOf(form);
    await change(ChangePermissionsDocument, {
      memberId: member.id,
      grant: chosen.filter((each) => !member.permissions.includes(each)),
      revoke: member.permissions.filter((each) => !chosen.includes(each)),
    });
    toast(`Changed the permissions for ${member.email}.`);
  };
  return (
    <FormDialog title={`Permissions for ${member.email}`} submit="Save" onSubmit={submit} onClosed={onClosed}>
      <PermissionFields granted={member.permissions} />
      <p>Changes take effect on the member’s next request.</p>
    </FormDialog>
  );
}

/** Unlinks a member's account at the OpenID Connect issuer after a confirmation. */
export function UnlinkIdentity({ member, onClosed }: Props) {
  const submit = async () => {
    await change(UnlinkIdentityDocument, { memberId: member.id });
    toast(`Unlinked the account of ${member.email}.`);
  };
  return (
    <FormDialog
      title={`Unlink the account of ${member.email}?`}
      submit="Unlink"
      isDestructive
      onSubmit={submit}
      onClosed={onClosed}
    >
      <p>
        Sessions started with this account end. The next sign-in from an account with the verified e-mail
        address {member.email} links that account.
      </p>
    </FormDialog>
  );
}

export function RemoveMember({ member, onClosed }: Props) {
  const isSelf = useViewer().id === member.id;
  const submit = async () => {
    await change(RemoveMemberDocument, { id: member.id });
    toast(`Removed ${member.email}.`);
  };
  return (
    <FormDialog
      title={isSelf ? "Leave the organization?" : `Remove ${member.email}?`}
      submit={isSelf ? "Leave" : "Remove member"}
      isDestructive
      onSubmit={submit}
      onClosed={onClosed}
    >
      <p>
        {isSelf ? "You are" : "They are"} signed out everywhere, and the invitations that{" "}
        {isSelf ? "you" : "they"} sent stop working. API keys are not affected.
      </p>
    </FormDialog>
  );
}

export function WithdrawInvitation(props: {
  invitation: { id: string; email: string };
  onClosed: () => void;
}) {
  const { id, email } = props.invitation;
  const submit = async () => {
    await change(WithdrawInvitationDocument, { id });
    toast(`Withdrew the invitation for ${email}.`);
  };
  return (
    <FormDialog
      title={`Withdraw the invitation for ${email}?`}
      submit="Withdraw"
      isDestructive
      onSubmit={submit}
      onClosed={props.onClosed}
    >
      <p>The link stops working immediately.</p>
    </FormDialog>
  );
}
