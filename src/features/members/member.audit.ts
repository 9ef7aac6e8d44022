import type { RequestContext } from "../../auth/context";
import type { Tx } from "../../database/unit-of-work";
import { recordAudit } from "../audit/audit";
import { type AuditAction, auditActions } from "../audit/audit-actions";
import type { Changes } from "../audit/audit-change";

export const memberActions = auditActions({
  member_created: "A member was added.",
  member_signed_in: "A member signed in.",
  member_sign_in_failed: "A sign-in failed because the password was wrong.",
  member_sign_in_confirmed: "A member confirmed a session with their password or a passkey.",
  member_sign_in_confirmation_failed: "A session confirmation failed because the password was wrong.",
  member_signed_out: "A member signed out of a session.",
  member_signed_out_everywhere: "A member signed out of all sessions.",
  member_password_changed: "A member's password was changed, and their other sessions were ended.",
  member_password_removed: "A member removed their password.",
  member_password_change_failed: "A password change failed because the current password was wrong.",
  member_permissions_changed: "A member's permissions were changed.",
  member_email_changed: "A member changed their e-mail address.",
  member_name_changed: "A member changed their name.",
  member_email_change_failed: "An e-mail address change failed because the address was in use.",
  member_removed: "A member was removed, and their sessions were ended.",
  member_session_ended: "One of a member's sessions was ended.",
  member_identity_linked:
    "A member signed in with an account at an OpenID Connect issuer for the first time.",
  member_identity_unlinked:
    "A member's account at an OpenID Connect issuer was unlinked, and the sessions opened with it were ended.",
  member_signed_out_by_issuer: "The OpenID Connect issuer ended a member's sessions.",
  member_sign_in_link_created: "A one-time sign-in link was created for a member.",
  member_passkey_added: "A member added a passkey.",
  member_passkey_renamed: "A member renamed a passkey.",
  member_passkey_removed: "A member's passkey was removed.",
  member_passkey_required: "The correct password was entered for a member who must also use a passkey.",
  member_passkey_rejected: "A sign-in with a member's passkey was rejected.",
  member_passkey_cloned:
    "A sign-in was rejected because the passkey's signature counter did not increase, so the passkey may have been cloned.",
  invitation_created: "A person was invited to become a member.",
  invitation_withdrawn:
    "An invitation was withdrawn or replaced, or became invalid when its sender lost the permission to invite.",
  invitation_accepted: "A person accepted an invitation and became a member.",
});

/** Records an action on a member or an invitation. */
export const recordOn = (
  tx: Tx,
  context: RequestContext,
  action: AuditAction,
  { id, email, organizationId }: { id: string; email: string; organizationId: string },
  changes?: Changes,
): Promise<void> => recordAudit(tx, context, action, { id, name: email, organizationId }, changes);
