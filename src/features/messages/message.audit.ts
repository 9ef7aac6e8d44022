import { auditActions } from "../audit/audit-actions";

export const messageActions = auditActions({
  messages_released: "Messages queued by an earlier version were released for delivery.",
});
