import { grouped } from "../../common/grouped";
import type { Database } from "../../database/database";
import { GatewayError } from "../../errors";
import type { Draft } from "./insert-messages";
import { HeldReason, MessageStatus } from "./message.enums";

/** Max messages per agent, by status; messages held back by an upgrade are not counted. */
export const MAX_OF_AGENT = { queued: 100_000, scheduled: 1_000_000, proposed: 100_000 };

type AcceptedStatus = keyof typeof MAX_OF_AGENT;

/** Returns a message's initial status, which depends on its send time and on whether it needs a review. */
export function acceptedAs({ sendAt, review }: Pick<Draft, "sendAt" | "review">): AcceptedStatus {
  if (review !== undefined) return MessageStatus.proposed;
  return sendAt === undefined ? MessageStatus.queued : MessageStatus.scheduled;
}

/** Lifetime of a count (ms). Until the next one, other processes' messages may exceed the limit. */
const COUNT_LIFETIME_MS = { min: 1_000, max: 30_000 };

/** Lifetime of a count as a multiple of the time it took (up to 0.6 s): on SQLite, key lookups wait for counts. */
const LIFETIME_FACTOR = 50;

/** Delay after which a message rejected because a queue is full can be sent again. */
const RETRY_AFTER_SECONDS = 5;

/** An agent's free slots: the limit minus the last count and the messages added by this process since. */
interface Room {
  left: number;
  /** The time of the next count, in `performance.now` time. */
  countAgainAt: number;
  counting: Promise<void> | undefined;
}

/** Limits agents' waiting messages approximately, because they are counted only occasionally. */
export class AgentQueues {
  private readonly rooms = new Map<string, Room>();

  constructor(
    private readonly database: Database,
    private readonly maxQueued = MAX_OF_AGENT.queued,
  ) {}

  /**
   * Reserves room for a message in an agent's queue.
   * @param agentId ID of an existing agent
   * @param options.status the status of the message
   * @param options.messages number of messages; 0 to reserve nothing
   * @returns true if there was room
   */
  async take(
    agentId: string,
    { status = MessageStatus.queued, messages = 1 }: { status?: AcceptedStatus; messages?: 0 | 1 } = {},
  ): Promise<boolean> {
    const name = `${status} ${agentId}`;
    const room = this.rooms.get(name) ?? { left: 0, countAgainAt: -Infinity, counting: undefined };
    this.rooms.set(name, room);
    if (performance.now() > room.countAgainAt) {
      room.counting ??= this.count(agentId, status, room).finally(() => {
        room.counting = undefined;
      });
      // While there is room, messages are queued without waiting for a count.
      if (room.left > 0) room.counting.catch(() => undefined);
      else await room.counting;
    }
    if (room.left > 0) {
      room.left -= messages;
      return true;
    }
    // A retry after `Retry-After` must not be rejected because of the same count.
    room.countAgainAt = Math.min(room.countAgainAt, performance.now() + RETRY_AFTER_SECONDS * 1000);
    return false;
  }

  private async count(agentId: string, status: AcceptedStatus, room: Room): Promise<void> {
    const began = performance.now();
    const max = status === MessageStatus.queued ? this.maxQueued : MAX_OF_AGENT[status];
    // Not a report, because on SQLite, a dry run that counts already occupies the connection for reports.
    const [{ queued }] = await this.database.read((reader) => reader.query(COUNT, [agentId, status, max]));
    room.left = max - Number(queued);
    const now = performance.now();
    const lifetimeMs = (now - began) * LIFETIME_FACTOR;
    room.countAgainAt = now + Math.min(Math.max(lifetimeMs, COUNT_LIFETIME_MS.min), COUNT_LIFETIME_MS.max);
  }
}

/** Counts from the last imported message, because imported messages are an agent's oldest. */
const COUNT = `SELECT count(*) AS queued FROM (
  SELECT 1 FROM message WHERE agent_id = $1 AND status = $2 AND id > coalesce((
    SELECT max(id) FROM message WHERE agent_id = $1 AND held_reason = '${HeldReason.imported}'
  ), '') LIMIT $3) AS counted`;

/** Returns the error for a message rejected because a queue is full. */
export const queueFull = (message: string) =>
  new GatewayError("queue_full", message, { headers: { "retry-after": String(RETRY_AFTER_SECONDS) } });

/** Returns the error for a message from an agent whose queue is full. */
export const agentQueueFull = (status: AcceptedStatus) =>
  queueFull(`An agent can have at most ${grouped(MAX_OF_AGENT[status])} ${status} messages.`);

/** @throws GatewayError `queue_full` */
export function assertRoom(hasRoom: boolean, status: AcceptedStatus): void {
  if (!hasRoom) throw agentQueueFull(status);
}
