import { auditActions } from "../audit/audit-actions";

export const lineActions = auditActions({
  line_created: "A line was created.",
  line_updated: "The name or the limits of a line were changed.",
  line_paused: "A line was paused.",
  line_resumed: "A paused or archived line was resumed.",
  line_archived: "A line was archived.",
  default_line_set: "A line became the default line of its agent.",
});
