/** Deletes notices that were unsent at the time of the restored backup, because they may have been sent since. */
export const DELETE_RESTORED_NOTICES = {
  table: "handoff_notice",
  statement: "DELETE FROM handoff_notice WHERE sent_at IS NULL",
};
