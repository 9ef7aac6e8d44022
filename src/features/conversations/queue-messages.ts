import { type Timestamp, timestamp } from "../../common/time";
import { type Change, changeTogether } from "../../database/change-together";
import { coalesceInTx } from "../../database/coalesce-in-tx";
import { allReturning } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { updatesOf } from "../../database/updates-of";
import type { Lanes } from "../../delivery/lanes";
import { addressesOf, lockContacts } from "../contacts/known-contact";
import { deletingNotices } from "../handoff-notices/add-notices";
import type { Line } from "../lines/line.entity";
import { acceptedAs, queueFull } from "../messages/agent-queues";
import { type Draft, insertMessages } from "../messages/insert-messages";
import { EXPIRE_AFTER_MS, IS_UNPLACED, IS_UNSENT, type Message } from "../messages/message.entity";
import { MessageAuthor, MessageDirection, MessageStatus } from "../messages/message.enums";
import type { PlaceMessage } from "../messages/receipts";
import { Conversation, ConversationState, Handler } from "./conversation.entity";
import { MAX_QUEUED } from "./conversation.limits";
import { lineById } from "./destination";
import { lockConversations } from "./find-conversation";

/** Authors treated as human. API clients are included, because people may write messages in other systems. */
const ANSWERING: ReadonlySet<MessageAuthor> = new Set([MessageAuthor.member, MessageAuthor.api]);

/** A message to queue, schedule or propose; standalone if its conversation is null. */
export type MessageToQueue = Omit<Draft, "expiresAfterMs" | "conversation" | "waitedSince"> & {
  conversation: Conversation | null;
};

/**
 * Queues, schedules or proposes standalone messages, and messages in conversations that the transaction has
 * locked or just opened; scheduled and proposed ones get their position when they are queued.
 * @param tx must also hold the `MESSAGE_ORDER` lock
 * @returns the messages in the order of the drafts
 */
export const queueMessages = (tx: Tx, lanes: Lanes, drafts: readonly MessageToQueue[]): Promise<Message[]> =>
  queueTogether(tx, { lanes, drafts });

const queueTogether = coalesceInTx(
  async (tx: Tx, queued: readonly { lanes: Lanes; drafts: readonly MessageToQueue[] }[]) => {
    const drafts = queued.flatMap((each) => each.drafts);
    const conversations = [...new Set(drafts.flatMap(({ conversation }) => conversation ?? []))];
    const lineIds = [...new Set(conversations.map(({ lineId }) => lineId))];
    const lines = new Map(
      await Promise.all(lineIds.map(async (id) => [id, await lineById(tx, id)] as const)),
    );
    const answered = drafts.map(({ author, conversation }) =>
      ANSWERING.has(author) && conversation?.handler === Handler.human ? conversation : null,
    );
    const waits = await Promise.all(
      answered.map((conversation) => conversation && endWait(tx, conversation)),
    );
    const messages = await insertMessages(
      tx,
      (queued[0] as (typeof queued)[number]).lanes,
      drafts.map(({ conversation, ...draft }, i) => {
        if (conversation === null) return { ...draft, expiresAfterMs: EXPIRE_AFTER_MS };
        const isPlaced = acceptedAs(draft) === MessageStatus.queued;
        if (isPlaced) conversation.lastSequence += 1;
        return {
          ...draft,
          waitedSince: waits[i],
          expiresAfterMs: (lines.get(conversation.lineId) as Line).expireAfterSeconds * 1000,
          conversation: {
            conversationId: conversation.id,
            sequence: isPlaced ? conversation.lastSequence : null,
            fence: conversation.version,
          },
        };
      }),
      [
        ...sequencesOf(tx, conversations),
        ...deletingNotices([...new Set(answered.flatMap((each) => each?.id ?? []))]),
      ],
    );
    const rest = messages.values();
    return queued.map((each) => each.drafts.map(() => rest.next().value as Message));
  },
);

/**
 * Returns how many of the wanted messages fit into a conversation's queue. Scheduled and proposed messages count
 * as well, except in a conversation too short to fill the queue.
 * @param options.schedules true if any of the new messages is scheduled or proposed
 * @param options.canceled number of queued messages that a dry run would cancel
 */
export async function roomIn(
  tx: Tx,
  { id, lastSequence }: Conversation,
  wanted: number,
  { schedules = false, canceled = 0 } = {},
): Promise<number> {
  // A conversation with few messages always has room, so counting is rarely needed.
  if (!schedules && lastSequence + wanted <= MAX_QUEUED) return wanted;
  const waiting = (condition: string) =>
    `(SELECT count(*) FROM message WHERE conversation_id = $1 AND ${condition})`;
  const [{ count }] = await tx.query(`SELECT ${waiting(IS_UNSENT)} + ${waiting(IS_UNPLACED)} AS count`, [id]);
  return Math.min(Math.max(0, MAX_QUEUED - Number(count) + canceled), wanted);
}

/**
 * Ends the contact's wait in a locked conversation, because a human answers; if the address has opted out,
 * nothing can be sent and the wait continues. The transaction must store the conversation and the answer.
 * @returns when the wait started, for the answer's `waitedSince`; null if no wait has ended
 */
export async function endWait(tx: Tx, conversation: Conversation): Promise<Timestamp | null> {
  conversation.humanAt = timestamp();
  if (conversation.waitingSince === null) return null;
  const addresses = await addressesOf(tx, conversation.contactId);
  if (addresses?.some(({ id, optedOutAt }) => id === conversation.addressId && optedOutAt !== null))
    return null;
  const { waitingSince } = conversation;
  conversation.waitingSince = null;
  return waitingSince;
}

const IS_ANSWER = `status not in ('${MessageStatus.canceled}', '${MessageStatus.failed}')
  and (reviewed_at is not null or author in (${[...ANSWERING].map((author) => `'${author}'`).join(", ")}))`;

/**
 * Stores the start of a wait with the first answer after it. Reads only messages after the contact's last
 * message by then, and messages without a position.
 */
const MOVE_WAIT = `update message set waited_since = $1 where id = (
  select id from (
    select id, coalesce(reviewed_at, created_at) as at from message
    where conversation_id = $2 and ${IS_ANSWER} and sequence > coalesce((
      select sequence from message
      where conversation_id = $2 and direction = '${MessageDirection.inbound}' and created_at <= $1
      order by sequence desc limit 1), 0)
    union all
    select id, coalesce(reviewed_at, created_at) from message
    where conversation_id = $2 and ${IS_UNPLACED} and ${IS_ANSWER}) answer
  where at > $1 order by at limit 1) returning id`;

/**
 * Resumes the waits that canceled answers had ended. If an answer after the start of a wait remains, that
 * answer ends the wait instead.
 * @returns true if the transaction must store the conversation
 */
export async function resumeWait(
  tx: Tx,
  conversation: Conversation,
  canceled: readonly Message[],
): Promise<boolean> {
  const { id, state, handler } = conversation;
  if (state === ConversationState.closed || handler === Handler.agent) return false;
  let isResumed = false;
  // Latest first, so that of several waits without an answer, the earliest one is kept.
  const waits = canceled.flatMap(({ waitedSince }) => waitedSince ?? []).sort();
  for (const since of waits.reverse()) {
    const later = await allReturning(tx, MOVE_WAIT, [since, id]);
    if (later.length > 0) continue;
    conversation.waitingSince = since;
    isResumed = true;
  }
  return isResumed;
}

/** Returns the error for a message in a conversation whose queue is full. */
export const conversationQueueFull = () =>
  queueFull(`A conversation can have at most ${MAX_QUEUED} queued, scheduled and proposed messages.`);

/** Assigns messages the next positions in their locked conversation; the caller must store all of them. */
export function takePlaces(conversation: Conversation, messages: readonly Message[]): void {
  for (const message of messages) {
    conversation.lastSequence += 1;
    message.sequence = conversation.lastSequence;
  }
}

/** Implements the hook `placingIn`. */
export async function placingIn(tx: Tx, conversationId: string): Promise<PlaceMessage> {
  const found = await tx.findOneBy(Conversation, { id: conversationId });
  await lockContacts(tx, found === null ? [] : [found.contactId]);
  const conversation = (await lockConversations(tx, [conversationId])).get(conversationId);
  return async (message) => {
    if (conversation === undefined) return;
    takePlaces(conversation, [message]);
    await changeTogether(tx, sequencesOf(tx, [conversation]));
  };
}

/** Returns the change that stores `lastSequence` and the times of the last answer and of the wait. */
export function sequencesOf(tx: Tx, conversations: readonly Conversation[]): Change[] {
  const now = timestamp();
  for (const conversation of conversations) conversation.updatedAt = now;
  const isHuman = conversations.some(({ handler }) => handler === Handler.human);
  const columns = isHuman ? (["humanAt", "waitingSince"] as const) : [];
  return updatesOf(tx, Conversation, conversations, ["lastSequence", "updatedAt", ...columns]);
}
