import { auditActions } from "../audit/audit-actions";

export const conversationActions = auditActions({
  conversation_moved: "A conversation was moved to another line.",
  conversation_handed_off: "A conversation was handed off to a human.",
  message_approved: "A proposed message was approved.",
  message_discarded: "A proposed message was discarded.",
  conversation_assigned: "A conversation was assigned to a member or unassigned.",
  conversation_released: "A conversation was released automatically after `releaseAfter`.",
});
