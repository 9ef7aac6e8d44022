/** Deletes notices that had not been sent when the restored backup was made, because they may have been sent since. */
export const DELETE_RESTORED_NOTICES = {
  table: "handoff_notice",
  statement: "DELETE FROM handoff_notice WHERE sent_at IS NULL",
};
