import { timestamp } from "../common/time";
import { padded, placeholders } from "../database/returning";
import type { Tx } from "../database/unit-of-work";
import { Lane } from "./lane.entity";
import type { LaneWork } from "./lane-work";

/** Kind of the lane that wakes the other lanes of an agent in parts; its ID is the agent's. */
export const WAKE_LANE = "wake";

/** Max lanes that a transaction wakes; other writers wait for it. */
const MAX_WOKEN = 1_000;

/** How long to wait for lanes that other transactions have locked (ms). */
const LOCKED_MS = 1_000;

/** Lanes of an agent that are to be woken: those with later IDs than the last one. */
interface Waking {
  agentId: string;
  after: string;
  /** True if another transaction has locked some of the next ones. */
  isLocked?: boolean;
}

/**
 * Makes work of agents due, skipping lanes that other transactions have locked: waiting for them could deadlock with a
 * deliverer, which holds others.
 * @returns what is left
 */
export async function wakeLanes(tx: Tx, agents: readonly Waking[]): Promise<Waking[]> {
  const left: Waking[] = [];
  let room = MAX_WOKEN;
  for (const { agentId, after } of agents) {
    if (room === 0) {
      left.push({ agentId, after });
      continue;
    }
    const [{ count, last }] = await tx.query(
      `SELECT count(*) AS count, max(id) AS last FROM (
         SELECT id FROM lane WHERE agent_id = $1 AND id > $2 ORDER BY id LIMIT $3) AS part`,
      [agentId, after, room],
    );
    if (last === null) continue;
    const isAsleep = "(wake_at > $1 OR line_id IS NOT NULL) AND agent_id = $2 AND id > $3 AND id <= $4";
    const parameters = [timestamp(), agentId, after, last];
    await tx.query(
      `UPDATE lane SET wake_at = $1, needs_sender = false, line_id = NULL WHERE id IN (
         SELECT id FROM lane WHERE ${isAsleep} ORDER BY id ${tx.updateLock({ skipLocked: true })})`,
      parameters,
    );
    const locked: unknown[] = await tx.query(`SELECT id FROM lane WHERE ${isAsleep} LIMIT 1`, parameters);
    if (locked.length > 0) left.push({ agentId, after, isLocked: true });
    else if (Number(count) === room) left.push({ agentId, after: last });
    room -= Number(count);
  }
  return left;
}

/** The work of lanes that wake others. */
export const wakeWork: LaneWork = {
  start: async (tx, laneIds) => {
    const lanes: Pick<Lane, "id" | "position">[] = await tx.query(
      `SELECT id, position FROM lane WHERE id IN ${placeholders(1, padded(laneIds).length)}`,
      padded(laneIds),
    );
    const left = await wakeLanes(
      tx,
      lanes.map(({ id, position }) => ({ agentId: id, after: position ?? "" })),
    );
    for (const { agentId, after } of left) await tx.update(Lane, { id: agentId }, { position: after });
    const next = new Map(
      left.map(({ agentId, isLocked }) => [agentId, timestamp(isLocked ? LOCKED_MS : 0)] as const),
    );
    return { next, dispatches: [], waiting: [] };
  },
  finish: async () => undefined,
};
