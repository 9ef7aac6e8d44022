import type { EntityManager } from "typeorm";
import { v7 as uuid } from "uuid";
import { groupBy } from "../../common/group-by";
import { timestamp } from "../../common/time";
import { type Change, changeTogether } from "../../database/change-together";
import { insertAll } from "../../database/insert-all";
import { allReturning, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { Event } from "./event.entity";
import type { EventType } from "./event-types";

/** An event to record for an agent. */
export interface NewEvent {
  agentId: string;
  type: EventType;
  /** The kind and ID of the event's subject. */
  subject: `${string}:${string}`;
  data: Record<string, unknown>;
}

/** The channel that notifies followers of committed events. */
export const EVENTS_CHANNEL = "gateway_events";

/** Max events stored together with their agent's position in one statement. */
const MAX_IN_ONE = 100;

const buffers = new WeakMap<EntityManager, { events: NewEvent[]; changes: Change[] }>();

/**
 * Records events at the end of the unit of work that creates them, because assigning positions locks the
 * agent's counter until the commit.
 * @param changes changes to other tables to store with the events; after this call, the unit must not read
 *   the changed rows
 */
export function recordEvents(tx: Tx, events: readonly NewEvent[], changes: readonly Change[] = []): void {
  const buffer = buffers.get(tx) ?? { events: [], changes: [] };
  buffer.events.push(...events);
  buffer.changes.push(...changes);
  if (buffers.has(tx)) return;
  buffers.set(tx, buffer);
  tx.beforeCommit(async () => {
    const { events, changes } = buffer;
    if (tx.hasWritableCtes && events.length <= MAX_IN_ONE)
      await changeTogether(tx, [...changes, ...inOne(events)]);
    else {
      await changeTogether(tx, changes);
      await store(tx, events);
    }
    tx.announce(EVENTS_CHANNEL);
  });
}

/**
 * Returns the changes that store a few events together with their agents' positions, in one statement instead of two.
 */
function inOne(events: readonly NewEvent[]): Change[] {
  const byAgent = [...groupBy(events, ({ agentId }) => agentId)];
  if (byAgent.length === 0) return [];
  // The fixed order prevents deadlocks between transactions that record events for the same agents.
  const counts = byAgent.sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([id, { length }]) => [id, length]);
  const rows = byAgent.flatMap(([id, ofAgent]) =>
    ofAgent.map(({ type, subject, data }, i) => [
      id,
      String(ofAgent.length - 1 - i),
      uuid(),
      type,
      subject,
      JSON.stringify(data),
    ]),
  );
  return [
    {
      with: `stream as (
       insert into agent_stream (agent_id, last) values ${placeholders(byAgent.length, 2)}
       on conflict (agent_id) do update set last = agent_stream.last + excluded.last
       returning agent_id, last),
     fresh (agent_id, following, id, type, subject, data) as (
       values ${placeholders(rows.length, 6, counts.length + 1)})`,
      sql: `insert into event (agent_id, position, id, type, subject, data, created_at)
     select stream.agent_id, last - cast(following as bigint), id, type, subject, data, $${counts.length + rows.length * 6 + 1}
     from fresh join stream on stream.agent_id = fresh.agent_id`,
      parameters: [...counts, ...rows.flat(), timestamp()],
    },
  ];
}

async function store(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const byAgent = groupBy(events, ({ agentId }) => agentId);
  // The fixed order prevents deadlocks between transactions that record events for the same agents.
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

/** Returns an event's subject: the conversation or, if there is none, the contact or the agent's configuration. */
export const closestSubject = ({
  agentId,
  contactId,
  conversationId,
}: {
  agentId: string;
  contactId: string | null;
  conversationId: string | null;
}): NewEvent["subject"] => {
  if (conversationId !== null) return `conversation:${conversationId}`;
  return contactId === null ? `configuration:${agentId}` : `contact:${contactId}`;
};
