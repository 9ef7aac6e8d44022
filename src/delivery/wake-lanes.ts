import { timestamp } from "../common/time";
import { padded, placeholders } from "../database/returning";
import type { Tx } from "../database/unit-of-work";
import { Lane } from "./lane.entity";
import type { LaneWork } from "./lane-work";

/** Kind of lane that wakes an agent's other lanes, a few at a time; its ID is the agent's ID. */
export const WAKE_LANE = "wake";

/** Kind of lane for a message that is due later, such as a scheduled message; its ID is the message's ID. */
export const SCHEDULE_LANE = "schedule";

/** Kind of lane for a timer that is due later; its ID is the timer's ID. */
export const TIMER_LANE = "timer";

/** Kind of lane that releases an agent's conversations; its ID is derived from the agent's ID. */
export const RELEASE_LANE = "release";

/** Kinds of lanes that wait only for a time; nothing else makes their work due. */
const TIMED_LANES = [SCHEDULE_LANE, TIMER_LANE, RELEASE_LANE];

/** Max lanes to wake per transaction, to limit how long other writers wait for it. */
const MAX_WOKEN = 1_000;

/** Delay before retrying lanes locked by other transactions (ms). */
const LOCKED_MS = 1_000;

/** An agent's lanes to wake: the lane with the ID `from` and all lanes with later IDs. */
interface Waking {
  agentId: string;
  from: string;
  /** True if another transaction has locked the first lane. */
  isLocked?: boolean;
}

/**
 * Makes agents' work due, up to the first locked lane, for which waiting could deadlock with a deliverer.
 * @returns the remaining lanes
 */
export async function wakeLanes(tx: Tx, agents: readonly Waking[]): Promise<Waking[]> {
  const left: Waking[] = [];
  let room = MAX_WOKEN;
  for (const { agentId, from } of agents) {
    if (room === 0) {
      left.push({ agentId, from });
      continue;
    }
    const [{ count, last }] = await tx.query(
      `SELECT count(*) AS count, max(id) AS last FROM (
         SELECT id FROM lane WHERE agent_id = $1 AND id >= $2 ORDER BY id LIMIT $3) AS part`,
      [agentId, from, room + 1],
    );
    if (last === null) continue;
    const isPart = Number(count) > room;
    const asleep = `SELECT id FROM lane
      WHERE (wake_at > $1 OR line_id IS NOT NULL) AND kind NOT IN (${TIMED_LANES.map((kind) => `'${kind}'`).join(", ")}) AND agent_id = $2 AND id >= $3 AND id ${isPart ? "<" : "<="} $4 ORDER BY id`;
    const parameters = [timestamp(), agentId, from, last];
    const free = new Set(
      idsIn(await tx.query(`${asleep} ${tx.updateLock({ skipLocked: true })}`, parameters)),
    );
    const locked = idsIn(await tx.query(asleep, parameters)).find((id) => !free.has(id));
    await tx.query(
      `UPDATE lane SET wake_at = $1, needs_sender = false, line_id = NULL
       WHERE id IN (${asleep}) ${locked === undefined ? "" : "AND id < $5"}`,
      [...parameters, ...(locked === undefined ? [] : [locked])],
    );
    if (locked !== undefined) left.push({ agentId, from: locked, isLocked: true });
    else if (isPart) left.push({ agentId, from: last });
    room -= Math.min(room, Number(count));
  }
  return left;
}

const idsIn = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

export const wakeWork: LaneWork = {
  start: async (tx, laneIds) => {
    const lanes: Pick<Lane, "id" | "position">[] = await tx.query(
      `SELECT id, position FROM lane WHERE id IN ${placeholders(1, padded(laneIds).length)}`,
      padded(laneIds),
    );
    const left = await wakeLanes(
      tx,
      lanes.map(({ id, position }) => ({ agentId: id, from: position ?? "" })),
    );
    for (const { agentId, from } of left) await tx.update(Lane, { id: agentId }, { position: from });
    const next = new Map(
      left.map(({ agentId, isLocked }) => [agentId, timestamp(isLocked ? LOCKED_MS : 0)] as const),
    );
    return { next, dispatches: [], waiting: [] };
  },
  finish: async () => undefined,
};
