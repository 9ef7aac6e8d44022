/**
 * Number of positions that a restored database skips; far more than the events that any agent can have had
 * since the backup.
 */
const LEFT_OUT = 1_000_000_000;

/**
 * Advances the positions of a restored database past all positions that followers may have seen, so that no
 * position is reused.
 */
export const MOVE_RESTORED_POSITIONS = {
  table: "agent_stream",
  statement: `UPDATE agent_stream SET last = last + ${LEFT_OUT}`,
};
