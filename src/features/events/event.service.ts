import { And, type EntityManager, In, LessThanOrEqual, MoreThan } from "typeorm";
import type { RequestContext } from "../../auth/context";
import type { Database } from "../../database/database";
import { GatewayError } from "../../errors";
import { scopedAgentId } from "../agents/agent-scope";
import { AgentStream } from "./agent-stream.entity";
import { Event } from "./event.entity";
import { EventConnection, type EventsArgs, type FollowEventsArgs } from "./event.inputs";

/** Max events scanned for a page filtered by type, so that a rare type does not cause a full scan. */
export const MAX_EXAMINED = 10_000;

/** Lists agents' events. */
export class EventService {
  constructor(private readonly database: Database) {}

  /**
   * Returns one page of an agent's events, oldest first. API keys use their own agent; members specify one. A page
   * filtered by type ends after `MAX_EXAMINED` events, even if it is not full.
   * @throws GatewayError `invalid_request`, `not_found` (agent), `invalid_cursor` for a malformed or future position,
   *   or `position_expired` if the next event is no longer stored
   */
  list(
    context: RequestContext,
    { agentId, first, after: cursor, types }: EventsArgs,
  ): Promise<EventConnection> {
    return this.database.read(async (reader) => {
      const agent = await scopedAgentId(reader, context, agentId);
      const stream = await reader.findOneBy(AgentStream, { agentId: agent });
      const last = BigInt(stream?.last ?? 0);
      const from = cursor == null ? 0n : positionOf(cursor, last);
      const examined = types == null ? undefined : await endOfExamined(reader, agent, from);
      const after = MoreThan(String(from));
      const rows = await reader.find(Event, {
        where: {
          agentId: agent,
          position: examined === undefined ? after : And(after, LessThanOrEqual(String(examined))),
          ...(types != null && { type: In([...types]) }),
        },
        order: { position: "ASC" },
        take: first + 1,
      });
      // Checked after the events are read, because they may be purged concurrently.
      if (cursor != null) await assertNextStored(reader, agent, from, last);
      const nodes = rows.slice(0, first);
      const next = rows[first];
      // A page ends just before the next event, so that its cursor remains valid where a restore skipped positions.
      const end = next === undefined ? (examined ?? BigInt(nodes.at(-1)?.position ?? 0)) : before(next);
      const hasNextPage = next !== undefined || (examined !== undefined && examined < last);
      // Events may have been added since the last position was read.
      const read = hasNextPage || end > last ? end : last;
      return new EventConnection(nodes, cursor == null, hasNextPage, String(read));
    });
  }
}

const before = ({ position }: Pick<Event, "position">): bigint => BigInt(position) - 1n;

/** For a page filtered by type, returns the last position to scan; undefined to scan all remaining events. */
async function endOfExamined(
  reader: EntityManager,
  agentId: string,
  from: bigint,
): Promise<bigint | undefined> {
  const [row] = await reader.query(
    `select position from event where agent_id = $1 and position > $2 order by position limit 1 offset ${MAX_EXAMINED}`,
    [agentId, String(from)],
  );
  return row && before(row);
}

/**
 * Finds the start of an event stream: a position or, if none is given, the end of the agent's events.
 * @returns the agent, the position, and the position of the agent's last event
 * @throws GatewayError like `EventService.list`
 */
export async function startOf(
  reader: EntityManager,
  context: RequestContext,
  { agentId, after }: Pick<FollowEventsArgs, "agentId" | "after">,
): Promise<{ id: string; position: bigint; last: bigint }> {
  const id = await scopedAgentId(reader, context, agentId);
  const stream = await reader.findOneBy(AgentStream, { agentId: id });
  const last = BigInt(stream?.last ?? 0);
  if (after == null) return { id, position: last, last };
  const position = positionOf(after, last);
  await assertNextStored(reader, id, position, last);
  return { id, position, last };
}

/**
 * Checks that a reader can continue after a position without missing an event.
 * @param last the position of the agent's last event
 * @throws GatewayError `position_expired` if the next event was purged or lost in a restore
 */
export async function assertNextStored(
  reader: EntityManager,
  agentId: string,
  position: bigint,
  last: bigint,
): Promise<void> {
  const next = { agentId, position: String(position + 1n) };
  if (position < last && !(await reader.existsBy(Event, next))) throw new GatewayError("position_expired");
}

/** Parses a position; throws `invalid_cursor` if it is malformed or in the future. */
export function positionOf(cursor: string, last: bigint): bigint {
  if (!/^(0|[1-9]\d{0,18})$/.test(cursor) || BigInt(cursor) > last) throw new GatewayError("invalid_cursor");
  return BigInt(cursor);
}
