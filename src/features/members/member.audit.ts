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
});
