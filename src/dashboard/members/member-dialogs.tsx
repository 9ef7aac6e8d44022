import { change } from "../api/client";
import { useViewer } from "../session/session";
import { FormDialog } from "../ui/form-dialog";
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
  const submit = (form: FormData) => {
    const chosen = permissionsOf(form);
    return change(ChangePermissionsDocument, {
      memberId: member.id,
      grant: chosen.filter((each) => !member.permissions.includes(each)),
      revoke: member.permissions.filter((each) => !chosen.includes(each)),
    });
  };
  return (
    <FormDialog
      title={`Permissions for ${member.email}`}
      submit="Save"
      onSubmit={submit}
      done={`Changed the permissions for ${member.email}.`}
      onClosed={onClosed}
    >
      <PermissionFields granted={member.permissions} />
      <p>Changes take effect on the member’s next request.</p>
    </FormDialog>
  );
}

/** Unlinks a member's account at the OpenID Connect issuer after a confirmation. */
export const UnlinkIdentity = ({ member, onClosed }: Props) => (
  <FormDialog
    title={`Unlink the account of ${member.email}?`}
    submit="Unlink"
    isDestructive
    onSubmit={() => change(UnlinkIdentityDocument, { memberId: member.id })}
    done={`Unlinked the account of ${member.email}.`}
    onClosed={onClosed}
  >
    <p>
      Sessions started with this account end. The next sign-in from an account with the verified e-mail
      address {member.email} links that account.
    </p>
  </FormDialog>
);

export function RemoveMember({ member, onClosed }: Props) {
  const isSelf = useViewer().id === member.id;
  return (
    <FormDialog
      title={isSelf ? "Leave the organization?" : `Remove ${member.email}?`}
      submit={isSelf ? "Leave" : "Remove member"}
      isDestructive
      onSubmit={() => change(RemoveMemberDocument, { id: member.id })}
      done={`Removed ${member.email}.`}
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
  return (
    <FormDialog
      title={`Withdraw the invitation for ${email}?`}
      submit="Withdraw"
      isDestructive
      onSubmit={() => change(WithdrawInvitationDocument, { id })}
      done={`Withdrew the invitation for ${email}.`}
      onClosed={props.onClosed}
    >
      <p>The link stops working immediately.</p>
    </FormDialog>
  );
}
