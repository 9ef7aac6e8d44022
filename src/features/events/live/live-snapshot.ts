import type { EntityManager } from "typeorm";
import type { Timestamp } from "../../../common/time";
import { padded, placeholders } from "../../../database/returning";
import type { Event } from "../event.entity";
import type { EventType } from "../event-types";

/** A position in an agent's stream. */
export interface Cursor {
  agentId: string;
  position: bigint;
}

/** The data to read from one database snapshot. */
export interface LiveQuery {
  /** Agents whose last positions are read. */
  agentIds?: readonly string[];
  /** Cursors whose next events are read. */
  cursors?: readonly Cursor[];
  keyIds?: readonly string[];
  sessionIds?: readonly string[];
  /** Agents that members follow, checked for deletion. */
  memberAgentIds?: readonly string[];
}

/** The current state of a key; undefined if the key does not exist. */
export interface KeyState {
  revokedAt: Timestamp | null;
  expiresAt: Timestamp | null;
  deactivatedAt: Timestamp | null;
  /** The key's scopes, separated by commas; null for all scopes. */
  scopes: string | null;
  /** The networks that may use the key, separated by commas; null for all networks. */
  allowedNetworks: string | null;
}

/** The current state of a session that has not been ended but may have expired. */
export interface SessionState {
  expiresAt: Timestamp;
  /** The member's permissions, separated by commas. */
  permissions: string;
  deactivatedAt: Timestamp | null;
}

/** The result of one read, from one database snapshot. */
export interface LiveSnapshot {
  /** Last positions of agents that have events. */
  lasts: ReadonlyMap<string, bigint>;
  /** The next events after each cursor, in order. */
  batches: readonly Event[][];
  keys: ReadonlyMap<string, KeyState>;
  sessions: ReadonlyMap<string, SessionState>;
  /** The IDs from `memberAgentIds` whose agents were deleted. */
  deletedAgents: ReadonlySet<string>;
}

/** Max events per batch. */
const MAX_EVENTS = 200;

/** A result row. Its kind determines what its other columns contain. */
interface Row extends Record<"a" | "b" | "c" | "d" | "e" | "f", string | null> {
  kind: "last" | "event" | "key" | "session" | "deleted";
  id: string;
}

/**
 * Reads events along with the states of their readers' credentials. Both come from one statement and therefore one
 * snapshot on either engine: a credential accepted here was not revoked before any of the events.
 */
export async function readLive(reader: EntityManager, query: LiveQuery): Promise<LiveSnapshot> {
  const { agentIds = [], cursors = [], keyIds = [], sessionIds = [], memberAgentIds = [] } = query;
  const parameters: string[] = [];
  const list = (ids: readonly string[]): string => {
    const all = padded(ids);
    const first = parameters.push(...all) - all.length + 1;
    return placeholders(1, all.length, first);
  };
  const parts: string[] = [];
  if (agentIds.length > 0)
    parts.push(`select 'last' as kind, agent_id as id, cast(last as text) as a,
        null as b, null as c, null as d, null as e, null as f
      from agent_stream where agent_id in ${list(agentIds)}`);
  for (const [i, { agentId, position }] of cursors.entries()) {
    const last = parameters.push(agentId, String(position));
    parts.push(`select * from (
      select 'event' as kind, '${i}' as id, id as a, cast(position as text) as b, type as c, subject as d,
        data as e, created_at as f
      from event where agent_id = $${last - 1} and position > cast($${last} as bigint)
      order by position limit ${MAX_EVENTS}) as next_${i}`);
  }
  if (keyIds.length > 0)
    parts.push(`select 'key' as kind, key.id as id, key.revoked_at as a, key.expires_at as b,
        organization.deactivated_at as c, key.scopes as d,
        key.allowed_networks as e, null as f
      from api_key as key join organization on organization.id = key.organization_id
      where key.id in ${list(keyIds)}`);
  if (sessionIds.length > 0)
    parts.push(`select 'session' as kind, session.id as id, session.expires_at as a, member.permissions as b,
        organization.deactivated_at as c, null as d, null as e, null as f
      from session
      join member on member.id = session.member_id
      join organization on organization.id = member.organization_id
      where session.id in ${list(sessionIds)}`);
  if (memberAgentIds.length > 0)
    parts.push(`select 'deleted' as kind, id, null as a, null as b, null as c, null as d, null as e, null as f
      from agent where deleted_at is not null and id in ${list(memberAgentIds)}`);
  const rows: Row[] = parts.length === 0 ? [] : await reader.query(parts.join("\nunion all\n"), parameters);
  return snapshotOf(rows, cursors);
}

function snapshotOf(rows: readonly Row[], cursors: readonly Cursor[]): LiveSnapshot {
  const lasts = new Map<string, bigint>();
  const keys = new Map<string, KeyState>();
  const sessions = new Map<string, SessionState>();
  const deletedAgents = new Set<string>();
  const batches = cursors.map((): Event[] => []);
  for (const { kind, id, a, b, c, d, e, f } of rows) {
    if (kind === "deleted") deletedAgents.add(id);
    else if (kind === "last") lasts.set(id, BigInt(a ?? 0));
    else if (kind === "key")
      keys.set(id, { revokedAt: a, expiresAt: b, deactivatedAt: c, scopes: d, allowedNetworks: e });
    else if (kind === "session")
      sessions.set(id, { expiresAt: a ?? "", permissions: b ?? "", deactivatedAt: c });
    else
      batches[Number(id)]?.push({
        id: a ?? "",
        agentId: cursors[Number(id)]?.agentId ?? "",
        position: b ?? "",
        type: c as EventType,
        subject: d ?? "",
        data: JSON.parse(e ?? "{}"),
        timestamp: f ?? "",
      });
  }
  // A union's rows are unordered.
  for (const batch of batches) batch.sort((x, y) => Number(BigInt(x.position) - BigInt(y.position)));
  return { lasts, batches, keys, sessions, deletedAgents };
}
