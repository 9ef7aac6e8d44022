/** Deletes the notices of a restored database that were not sent at backup time, because they may have been sent since. */
export const DELETE_RESTORED_NOTICES = {
  table: "handoff_notice",
  statement: "DELETE FROM handoff_notice WHERE sent_at IS NULL",
};
