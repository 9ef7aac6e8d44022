import { groupBy } from "../../common/group-by";
import { type Timestamp, timestamp, timestampOf } from "../../common/time";
import { type Change, changeTogether } from "../../database/change-together";
import { insertsOf } from "../../database/insert-all";
import { nextIds } from "../../database/next-ids";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes, NewLane } from "../../delivery/lanes";
import { SCHEDULE_LANE } from "../../delivery/wake-lanes";
import { recordEvents } from "../events/record-events";
import { Message } from "./message.entity";
import { MessageAuthor, MessageDirection, MessageStatus, ScheduledReason } from "./message.enums";
import { MESSAGES } from "./message.metrics";
import { statusEvent } from "./message-events";
import { pathOfReview, type ReviewDemand } from "./message-gate";
import { CONVERSATION_LANE, MESSAGE_LANE } from "./message-lanes";

/** A message to queue, schedule or propose. */
export interface Draft extends Pick<Message, "agentId" | "text" | "author"> {
  /** Max time the message may wait to be sent after it is queued (ms). */
  expiresAfterMs: number;
  /** The position in a locked conversation; undefined for a standalone message, sent on the default line. */
  conversation?: (Pick<Message, "sequence" | "fence"> & { conversationId: string }) | undefined;
  /** ID of the member who wrote the message; undefined for other authors. */
  memberId?: string | undefined;
  decisionId?: string | undefined;
  /** Subject of an e-mail that starts a conversation; undefined for the line's subject. */
  subject?: string | undefined;
  /** The text as HTML, if it is sent by e-mail. */
  html?: string | undefined;
  /** When to queue the message, if it is scheduled; a scheduled message has no sequence. */
  sendAt?: Timestamp | undefined;
  /** The reason and the policy setting's path, if the policy schedules the message. */
  heldBy?: { reason: ScheduledReason; path: string } | undefined;
  /** The rule or policy that requires a person's approval; undefined if none does. */
  review?: ReviewDemand | undefined;
  topic?: string | undefined;
  /** True if no window or cap may hold the message back. */
  isUrgent?: boolean | undefined;
  /** ID of the address that the message automatically replies to. */
  answeredAddressId?: string | undefined;
  /** When the contact started waiting for the message; null or undefined if the contact was not waiting. */
  waitedSince?: Timestamp | null | undefined;
}

/** Returns the time to queue a message; undefined to queue it immediately. */
export const laterTime = (at: Date | null | undefined): Timestamp | undefined =>
  at != null && at.getTime() > Date.now() ? at.toISOString() : undefined;

/**
 * Queues, schedules or proposes messages, each with a lane that is due at the same time as the message.
 * @param tx must hold the `MESSAGE_ORDER` lock and the conversations' locks
 * @param more additional changes to other tables
 * @returns the messages in the order of the drafts
 */
export async function insertMessages(
  tx: Tx,
  lanes: Lanes,
  drafts: readonly Draft[],
  more: readonly Change[],
): Promise<Message[]> {
  const nextId = await nextIds(tx, "message", drafts);
  const createdAt = timestamp();
  const messages = drafts.map((draft) => {
    const { agentId, text, subject, html, author, expiresAfterMs, conversation, decisionId, sendAt } = draft;
    const { heldBy, review, isUrgent = false } = draft;
    return tx.create(Message, {
      id: nextId(agentId),
      agentId,
      text,
      subject: subject ?? null,
      html: html ?? null,
      author,
      memberId: draft.memberId ?? null,
      direction: MessageDirection.outbound,
      ...(sendAt === undefined ? QUEUED : { ...SCHEDULED, sendAt }),
      ...(heldBy !== undefined && { scheduledReason: heldBy.reason, scheduledBy: heldBy.path }),
      ...(review !== undefined && { ...PROPOSED, scheduledBy: pathOfReview(review) }),
      proposedText: review === undefined ? null : text,
      topic: draft.topic ?? null,
      isUrgent,
      createdAt,
      expiresAt: timestampOf(Date.parse(sendAt ?? createdAt) + expiresAfterMs),
      decisionId: decisionId ?? null,
      answeredAddressId: draft.answeredAddressId ?? null,
      waitedSince: draft.waitedSince ?? null,
      conversationId: conversation?.conversationId ?? null,
      sequence: conversation?.sequence ?? null,
      fence: conversation?.fence ?? null,
    });
  });
  return store(tx, lanes, messages, [...more, ...lanes.adding(tx, messages.map(laneOf))]);
}

// `QUEUED` and `SCHEDULED` have the same properties, because one statement inserts both kinds of messages.
const QUEUED = { status: MessageStatus.queued, sendAt: null, scheduledReason: null, scheduledBy: null };
const SCHEDULED = {
  status: MessageStatus.scheduled,
  scheduledReason: ScheduledReason.delay,
  scheduledBy: null,
};

// Does not set `sendAt`, so that a proposed message retains its own `sendAt` until it is approved.
const PROPOSED = { status: MessageStatus.proposed, scheduledReason: null };

/** Returns a message's lane; a conversation's queued messages share a lane. */
export function laneOf(
  message: Pick<Message, "id" | "agentId" | "conversationId" | "status" | "sendAt"> &
    Partial<Pick<Message, "expiresAt">>,
): NewLane {
  const { id, agentId, conversationId, status, sendAt, expiresAt } = message;
  if (status === MessageStatus.proposed && expiresAt != null)
    return { id, agentId, kind: SCHEDULE_LANE, wakeAt: expiresAt };
  if (status === MessageStatus.scheduled && sendAt !== null)
    return { id, agentId, kind: SCHEDULE_LANE, wakeAt: sendAt };
  return conversationId === null
    ? { id, agentId, kind: MESSAGE_LANE }
    : { id: conversationId, agentId, kind: CONVERSATION_LANE };
}

/** A contact's message, in a locked conversation. */
type ReceivedDraft = Pick<
  Message,
  "agentId" | "text" | "conversationId" | "sequence" | "lineId" | "providerId" | "omitted" | "sentAt"
> &
  Partial<Pick<Message, "subject" | "quoted" | "thread">>;

/**
 * Stores messages from contacts.
 * @param tx must hold the `MESSAGE_ORDER` lock and the conversations' locks
 * @param decide decides about the messages, whose IDs are already set, and returns additional changes
 * @returns the messages in the order of the drafts
 */
export async function insertReceived(
  tx: Tx,
  lanes: Lanes,
  drafts: readonly ReceivedDraft[],
  decide: (messages: readonly Message[]) => Promise<readonly Change[]>,
): Promise<Message[]> {
  const nextId = await nextIds(tx, "message", drafts);
  const createdAt = timestamp();
  const messages = drafts.map((draft) =>
    tx.create(Message, {
      ...draft,
      id: nextId(draft.agentId),
      decisionId: null,
      author: MessageAuthor.contact,
      direction: MessageDirection.inbound,
      status: MessageStatus.received,
      createdAt,
    }),
  );
  return store(tx, lanes, messages, await decide(messages));
}

async function store(tx: Tx, lanes: Lanes, messages: Message[], more: readonly Change[]): Promise<Message[]> {
  await changeTogether(tx, [...more, ...insertsOf(tx, Message, messages)]);
  const observer = lanes.observing(tx);
  for (const [status, { length }] of groupBy(messages, (message) => message.status))
    observer.count(MESSAGES, [status], length);
  recordEvents(tx, messages.map(statusEvent));
  return messages;
}

/** Returns a caller's message as it was when accepted. */
export const asAccepted = (message: Message): Message => ({
  ...message,
  ...(message.sendAt === null ? QUEUED : { ...SCHEDULED, sequence: null }),
  lineId: null,
  attempts: 0,
  heldReason: null,
  notBefore: null,
  errorCode: null,
  errorText: null,
  resentAs: null,
  providerId: null,
  sentAt: null,
  deliveredAt: null,
  readAt: null,
  updatedAt: null,
});
