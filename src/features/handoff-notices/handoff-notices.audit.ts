import { auditActions } from "../audit/audit-actions";

export const handoffNoticeActions = auditActions({
  handoff_notices_changed: "A member switched e-mails about the handoffs of an agent on or off.",
});
