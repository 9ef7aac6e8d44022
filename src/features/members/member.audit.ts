import { auditActions } from "../audit/audit-actions";

export const memberActions = auditActions({
  member_created: "A member was added.",
  member_signed_in: "A member signed in.",
  member_sign_in_failed: "A sign-in as a member failed because of a wrong password.",
  member_signed_out: "A member ended a session.",
  member_signed_out_everywhere: "A member ended all of their sessions.",
  member_password_changed: "A member's password was changed, which ended their other sessions.",
  member_password_change_failed: "A password change failed because of a wrong current password.",
  member_permissions_changed: "A member's permissions were changed.",
  member_email_changed: "A member changed their e-mail address.",
  member_email_change_failed:
    "A change of an e-mail address failed: the password was wrong, or the address was in use.",
  member_removed: "A member was removed, which ended their sessions.",
  member_session_ended: "One session of a member was ended.",
  invitation_created: "A person was invited to become a member.",
  invitation_withdrawn: "An invitation was withdrawn, replaced, or ended with the permissions of its sender.",
  invitation_accepted: "A person accepted an invitation and became a member.",
});
