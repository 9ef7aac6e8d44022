/** Number of positions that a restored database skips: far more than an agent's events since any backup. */
const LEFT_OUT = 1_000_000_000;

/** Skips all positions that followers of a restored database may have seen, so that none is reused. */
export const MOVE_RESTORED_POSITIONS = {
  table: "agent_stream",
  statement: `UPDATE agent_stream SET last = last + ${LEFT_OUT}`,
};
