import type { Database } from "../../database/database";
import { GatewayError } from "../../errors";
import { HeldReason, MessageStatus } from "./message.entity";

/** Max queued messages of an agent; messages held back by an upgrade do not count. */
export const MAX_QUEUED_OF_AGENT = 100_000;

/** How long a count is used (ms). Until the next count, other processes may exceed the limit. */
const COUNT_LIFETIME_MS = { min: 1_000, max: 5_000 };

/** A count is used for this many times its own duration: counting 50,000 queued messages takes 0.1 s. */
const LIFETIME_FACTOR = 50;

/** Room in an agent's queue: the last count, less the messages queued by this process since. */
interface Room {
  left: number;
  /** When to count again, by `performance.now`. */
  countAgainAt: number;
  counting: Promise<void> | undefined;
}

/** Limits the queued messages of an agent. Counts them only occasionally, so the limit is approximate. */
export class AgentQueues {
  private readonly rooms = new Map<string, Room>();

  constructor(
    private readonly database: Database,
    private readonly max = MAX_QUEUED_OF_AGENT,
  ) {}

  /**
   * Reserves room for a message in an agent's queue.
   * @param agentId ID of an existing agent
   * @param messages 0 to reserve nothing
   * @returns true if there was room
   */
  async take(agentId: string, messages: 0 | 1 = 1): Promise<boolean> {
    const room = this.rooms.get(agentId) ?? { left: 0, countAgainAt: -Infinity, counting: undefined };
    this.rooms.set(agentId, room);
    if (performance.now() > room.countAgainAt) {
      room.counting ??= this.count(agentId, room).finally(() => {
        room.counting = undefined;
      });
      // As long as there is room, no message waits for the count.
      if (room.left > 0) room.counting.catch(() => undefined);
      else await room.counting;
    }
    if (room.left <= 0) return false;
    room.left -= messages;
    return true;
  }

  private async count(agentId: string, room: Room): Promise<void> {
    const began = performance.now();
    const [{ queued }] = await this.database.read((reader) => reader.query(COUNT, [agentId, this.max]));
    room.left = this.max - Number(queued);
    const now = performance.now();
    const lifetimeMs = (now - began) * LIFETIME_FACTOR;
    room.countAgainAt = now + Math.min(Math.max(lifetimeMs, COUNT_LIFETIME_MS.min), COUNT_LIFETIME_MS.max);
  }
}

/** Imported messages are older than all others of their agent, so the count can start after the last of them. */
const COUNT = `SELECT count(*) AS queued FROM (
  SELECT 1 FROM message WHERE agent_id = $1 AND status = '${MessageStatus.queued}' AND id > coalesce((
    SELECT max(id) FROM message WHERE agent_id = $1 AND held_reason = '${HeldReason.imported}'
  ), '') LIMIT $2) AS counted`;

/** The error for a message that a full queue rejects. */
export const queueFull = (message: string) =>
  new GatewayError("queue_full", message, { headers: { "retry-after": "5" } });

/** The error for a message from an agent whose queue is full. */
export const agentQueueFull = () =>
  queueFull(`An agent has at most ${MAX_QUEUED_OF_AGENT.toLocaleString("en")} queued messages.`);

/** @throws GatewayError `queue_full` */
export function assertRoom(hasRoom: boolean): void {
  if (!hasRoom) throw agentQueueFull();
}
