import { auditActions } from "../audit/audit-actions";

export const handoffNoticeActions = auditActions({
  handoff_notices_changed: "A member turned handoff e-mails for an agent on or off.",
});
