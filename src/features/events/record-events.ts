import type { EntityManager } from "typeorm";
import { v7 as uuid } from "uuid";
import { groupBy } from "../../common/group-by";
import { timestamp } from "../../common/time";
import { insertAll } from "../../database/insert-all";
import { allReturning, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { Event } from "./event.entity";
import type { EventType } from "./event-types";

/** Something that has happened to an agent. */
export interface NewEvent {
  agentId: string;
  type: EventType;
  /** The kind and ID of what it is about. */
  subject: `${string}:${string}`;
  data: Record<string, unknown>;
}

/** The channel on which followers hear that events were committed. */
export const EVENTS_CHANNEL = "gateway_events";

const buffers = new WeakMap<EntityManager, NewEvent[]>();

/**
 * Records events in the unit of work that makes them. They get their positions at its end, because the row that counts
 * them is locked until the commit.
 */
export function recordEvents(tx: Tx, events: readonly NewEvent[]): void {
  const buffer = buffers.get(tx);
  if (buffer !== undefined) {
    buffer.push(...events);
    return;
  }
  const fresh = [...events];
  buffers.set(tx, fresh);
  tx.beforeCommit(async () => {
    const [only] = fresh;
    if (tx.hasWritableCtes && fresh.length === 1 && only !== undefined) await storeOne(tx, only);
    else await store(tx, fresh);
    tx.announce(EVENTS_CHANNEL);
  });
}

/** Stores a single event in one statement instead of two. */
const storeOne = (tx: Tx, { agentId, type, subject, data }: NewEvent): Promise<unknown> =>
  tx.query(
    `with stream as (
       insert into agent_stream (agent_id, last) values ($1, 1)
       on conflict (agent_id) do update set last = agent_stream.last + 1
       returning agent_id, last)
     insert into event (agent_id, position, id, type, subject, data, created_at)
     select agent_id, last, $2, $3, $4, $5, $6 from stream`,
    [agentId, uuid(), type, subject, JSON.stringify(data), timestamp()],
  );

async function store(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const byAgent = groupBy(events, ({ agentId }) => agentId);
  // In a fixed order, so that units which share two agents do not deadlock.
  const agentIds = [...byAgent.keys()].sort();
  const rows = await allReturning<{ agentId: string; last: string }>(
    tx,
    `insert into agent_stream (agent_id, last)
     values ${placeholders(agentIds.length, 2)}
     on conflict (agent_id) do update set last = agent_stream.last + excluded.last
     returning agent_id as "agentId", last`,
    agentIds.flatMap((id) => [id, byAgent.get(id)?.length ?? 0]),
  );
  const now = timestamp();
  const stored = rows.flatMap(({ agentId, last }) => {
    const ofAgent = byAgent.get(agentId) ?? [];
    const before = BigInt(last) - BigInt(ofAgent.length);
    return ofAgent.map((event, i) => ({
      ...event,
      id: uuid(),
      position: String(before + BigInt(i + 1)),
      timestamp: now,
    }));
  });
  await insertAll(tx, Event, stored);
}
