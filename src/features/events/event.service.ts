import { And, type EntityManager, In, LessThanOrEqual, MoreThan } from "typeorm";
import type { RequestContext } from "../../auth/context";
import type { Database } from "../../database/database";
import { GatewayError } from "../../errors";
import { scopedAgentId } from "../agents/agent-scope";
import { AgentStream } from "./agent-stream.entity";
import { Event } from "./event.entity";
import { EventConnection, type EventsArgs } from "./event.inputs";

/** Max events scanned for a page filtered by type, so that a rare type does not cause a full scan. */
export const MAX_EXAMINED = 10_000;

/** Lists agents' events. */
export class EventService {
  constructor(private readonly database: Database) {}

  /**
   * Returns one page of an agent's events, oldest first. API keys use their own agent; members specify one. A page
   * filtered by type ends after `MAX_EXAMINED` events, even if it is not full.
   * @throws GatewayError `invalid_request`, `not_found` (agent), `invalid_cursor` for a position that no event has had,
   *   or `position_expired` if the next event has been purged
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
      // Read after the events, because they may be purged concurrently.
      const purged = await lastPurged(reader, agent, last);
      if (cursor != null && from < purged) throw new GatewayError("position_expired");
      const nodes = rows.slice(0, first);
      const isFull = rows.length > first;
      const end = (isFull ? undefined : examined) ?? BigInt(nodes.at(-1)?.position ?? 0);
      const hasNextPage = isFull || (examined !== undefined && examined < last);
      // More events may have been added since the last position was read.
      const read = hasNextPage || end > last ? end : last;
      return new EventConnection(nodes, cursor == null, hasNextPage, String(read));
    });
  }
}

/**
 * Returns the position of the last event scanned for a page filtered by type; undefined if all remaining events were
 * scanned.
 */
async function endOfExamined(
  reader: EntityManager,
  agentId: string,
  from: bigint,
): Promise<bigint | undefined> {
  const [row] = await reader.query(
    `select position from event where agent_id = $1 and position > $2 order by position limit 1 offset ${MAX_EXAMINED - 1}`,
    [agentId, String(from)],
  );
  return row && BigInt(row.position);
}

/**
 * Finds the start of an event stream: a position or, if none is given, the end of the agent's events.
 * @returns the agent, the position, and the position of the agent's last event
 * @throws GatewayError like `EventService.list`
 */
export async function startOf(
  reader: EntityManager,
  context: RequestContext,
  { agentId, after }: { agentId?: string | null | undefined; after?: string | null | undefined },
): Promise<{ id: string; position: bigint; last: bigint }> {
  const id = await scopedAgentId(reader, context, agentId);
  const stream = await reader.findOneBy(AgentStream, { agentId: id });
  const last = BigInt(stream?.last ?? 0);
  if (after == null) return { id, position: last, last };
  const position = positionOf(after, last);
  if (position < (await lastPurged(reader, id, last))) throw new GatewayError("position_expired");
  return { id, position, last };
}

/** Returns the position of an agent's last purged event; 0 if none was purged. */
export async function lastPurged(reader: EntityManager, agentId: string, last: bigint): Promise<bigint> {
  const [oldest] = await reader.find(Event, { where: { agentId }, order: { position: "ASC" }, take: 1 });
  return oldest === undefined ? last : BigInt(oldest.position) - 1n;
}

/**
 * Parses a position.
 * @throws GatewayError `invalid_cursor` for a position that no event has had
 */
export function positionOf(cursor: string, last: bigint): bigint {
  if (!/^(0|[1-9]\d{0,18})$/.test(cursor) || BigInt(cursor) > last) throw new GatewayError("invalid_cursor");
  return BigInt(cursor);
}
