import { auditActions } from "../audit/audit-actions";

export const handoffNoticeActions = auditActions({
  handoff_notices_changed: "A member turned e-mails about an agent's handoffs on or off.",
});
