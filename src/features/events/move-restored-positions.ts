/** Positions skipped by a restored database: far more than an agent's number of events since the backup. */
const LEFT_OUT = 1_000_000_000;

/**
 * Advances the positions of a restored database past all positions that followers may have seen, so that none is
 * reused.
 */
export const MOVE_RESTORED_POSITIONS = {
  table: "agent_stream",
  statement: `UPDATE agent_stream SET last = last + ${LEFT_OUT}`,
};
