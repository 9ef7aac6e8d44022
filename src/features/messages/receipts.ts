import type { Logger } from "pino";
import { type Timestamp, timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import { BACKGROUND } from "../../database/limits";
import { lockRows } from "../../database/lock-rows";
import { padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import type { HookRegistry } from "../../schema/hooks";
import { AddressKind } from "../contacts/contact-address.entity";
import { recordEvents } from "../events/record-events";
import { toErased } from "./erased-recipients";
import { ERROR_TEXT_MAX_LENGTH, Message } from "./message.entity";
import { MessageDirection, MessageError, MessageStatus } from "./message.enums";
import { MESSAGES } from "./message.metrics";
import { statusEvents, tellFailed } from "./message-events";

/** A receiver's report about a message. */
export interface Receipt {
  lineId: string;
  /** Identifies the message by its own ID or by the receiver's ID for it. */
  message: { id: string } | { providerId: string };
  status:
    | typeof MessageStatus.sent
    | typeof MessageStatus.delivered
    | typeof MessageStatus.read
    | typeof MessageStatus.failed;
  /** The time of the change; defaults to the current time. */
  at?: Timestamp | undefined;
  errorText?: string | undefined;
  /** True if the message failed because the address does not exist. */
  isUndeliverable?: boolean | undefined;
}

/** Assigns a message the next position in a locked conversation; the transaction must store the message. */
export type PlaceMessage = (message: Message) => Promise<void>;

declare module "../../schema/hooks" {
  interface Hooks {
    /** Locks a conversation and its contact, to place a message in it; implemented by one feature. */
    placingIn: (tx: Tx, conversationId: string) => Promise<PlaceMessage>;
  }
}

/** The progress that each status represents; a message's progress never decreases. */
const PROGRESS: Readonly<Record<MessageStatus, number>> = {
  [MessageStatus.proposed]: 0,
  [MessageStatus.scheduled]: 0,
  [MessageStatus.queued]: 0,
  [MessageStatus.sending]: 0,
  [MessageStatus.sent]: 1,
  [MessageStatus.delivered]: 2,
  [MessageStatus.read]: 3,
  [MessageStatus.canceled]: 4,
  [MessageStatus.failed]: 4,
  [MessageStatus.received]: 4,
};

/** Applies receipts in any order, even if they arrive before the response to the send. */
export class Receipts {
  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly hooks: HookRegistry,
    private readonly log: Logger,
  ) {}

  /** Marks the addresses that messages were sent to as undeliverable; a failure is only logged. */
  readonly markUndeliverable = (messageIds: readonly string[]): void => {
    this.database
      .write((tx) => markUndeliverable(tx, messageIds), { limits: BACKGROUND })
      .catch((err) => this.log.warn({ err }, "could not mark addresses as undeliverable"));
  };

  /**
   * Applies a receipt: a message only moves forward, from sent to delivered to read, or from sent to failed.
   * @param options.owner the organization's ID, as in `Database.writeFor`
   * @param options.tx the transaction to join; by default, a new one
   * @returns the current message; undefined if the line has sent no such message
   */
  apply(
    { lineId, message: reference, status, at, errorText, isUndeliverable = false }: Receipt,
    { owner, tx }: { owner?: string | undefined; tx?: Tx } = {},
  ): Promise<Message | undefined> {
    return this.database.writeFor(
      owner,
      async (tx) => {
        const which = { ...reference, lineId, direction: MessageDirection.outbound };
        const found = await tx.findOneBy(Message, which);
        if (found === null || found.attempts === 0) return undefined;
        const { id, conversationId } = found;
        // The message may have lost its position, or be about to lose it, because a window or cap reschedules it.
        const mayLackPosition =
          conversationId !== null && PROGRESS[found.status] < PROGRESS[MessageStatus.sent];
        const place = mayLackPosition ? await this.hooks.the("placingIn")(tx, conversationId) : undefined;
        // Done before the lane is locked, because an opt-out also locks the address before the lane.
        if (isUndeliverable && PROGRESS[found.status] <= PROGRESS[MessageStatus.sent])
          await markUndeliverable(tx, [id]);
        // Prevents a concurrent delivery of the message.
        const laneId = conversationId ?? id;
        const locked = await this.lanes.lockAll(tx, place === undefined ? [laneId] : [laneId, id]);
        // Prevents a concurrent erasure of the message.
        const rows = await lockRows(tx, tx.createQueryBuilder(Message, "message").where({ id }));
        const message = rows.get(id);
        if (message === undefined) return undefined;
        const fails = status === MessageStatus.failed;
        const isForward = fails
          ? PROGRESS[message.status] <= PROGRESS[MessageStatus.sent]
          : PROGRESS[status] > PROGRESS[message.status];
        if (!isForward) return message;
        const now = timestamp();
        const erased = await toErased(tx, fails ? [id] : []);
        const wasScheduled = message.status === MessageStatus.scheduled;
        if (wasScheduled) await place?.(message);
        const change: Partial<Message> = {
          status,
          sequence: message.sequence,
          scheduledReason: null,
          scheduledBy: null,
          heldReason: null,
          notBefore: null,
          updatedAt: now,
          sentAt: message.sentAt ?? (fails ? null : (at ?? now)),
          errorText: null,
          ...(status === MessageStatus.delivered && { deliveredAt: at ?? now }),
          ...(status === MessageStatus.read && {
            deliveredAt: message.deliveredAt ?? at ?? now,
            readAt: at ?? now,
          }),
          ...(fails && {
            errorCode: MessageError.rejected,
            errorText: erased.has(id) ? null : (errorText?.slice(0, ERROR_TEXT_MAX_LENGTH) ?? null),
          }),
        };
        await tx.update(Message, { id }, change);
        Object.assign(message, change);
        recordEvents(tx, statusEvents([message]));
        this.lanes.observing(tx).count(MESSAGES, [status]);
        if (fails) await tellFailed(tx, this.hooks, [{ id, errorCode: MessageError.rejected }]);
        if (wasScheduled) await this.lanes.end(tx, [id]);
        // The message may have been waiting for a retry at the head of its queue.
        else if (locked.has(laneId)) await this.lanes.wake(tx, [laneId]);
        return message;
      },
      { tx },
    );
  }
}

/** Marks e-mails' recipient addresses as undeliverable, if the addresses are known. */
async function markUndeliverable(tx: Tx, messageIds: readonly string[]): Promise<void> {
  const ids = padded(messageIds);
  await tx.query(
    `update contact_address set undeliverable_at = $1
     where undeliverable_at is null and kind = '${AddressKind.email}'
       and id in (${addressesOfSent(placeholders(1, ids.length, 2))})`,
    [timestamp(), ...ids],
  );
}

/**
 * Returns a query for the IDs of the addresses that messages were sent to. After a move, the current address is
 * returned only if it is the contact's only address of its kind.
 * @param messageIds placeholders for the messages' IDs, in parentheses
 */
export const addressesOfSent = (messageIds: string): string =>
  `select address.id from message
   join conversation on conversation.id = message.conversation_id
   join contact_address address on address.id = conversation.address_id
   where message.id in ${messageIds} and (
     not exists (select 1 from conversation_log_entry entry where entry.conversation_id = conversation.id
       and entry.id > message.id and entry.kind = 'moved')
     or (address.id < message.id and not exists (select 1 from contact_address other
       where other.contact_id = address.contact_id and other.kind = address.kind and other.id <> address.id)))`;
