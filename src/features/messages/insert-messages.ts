import { timestamp, timestampOf } from "../../common/time";
import { type Change, changeTogether } from "../../database/change-together";
import { insertsOf } from "../../database/insert-all";
import { nextIds } from "../../database/next-ids";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { recordEvents } from "../events/record-events";
import { Message, MessageAuthor, MessageDirection, MessageStatus } from "./message.entity";
import { MESSAGES } from "./message.metrics";
import { messageEvent } from "./message-events";
import { CONVERSATION_LANE, MESSAGE_LANE } from "./message-lanes";

/** The place of a message in a locked conversation. */
export type InConversation = Pick<Message, "sequence" | "fence"> & { conversationId: string };

/** A message to queue. */
export interface Draft extends Pick<Message, "agentId" | "text" | "author"> {
  /** Max time it may wait to be sent (ms). */
  expiresAfterMs: number;
  /** Undefined for a standalone message, which is sent on the default line. */
  conversation?: InConversation | undefined;
  /** The decision to send it, if the agent made one. */
  decisionId?: string | undefined;
  /** Min delay (ms). */
  delayMs?: number | undefined;
  /** The address that the message answers automatically. */
  answeredAddressId?: string | undefined;
}

/**
 * Queues messages and makes their lanes due.
 * @param tx holds the lock `MESSAGE_ORDER` and the locks of the conversations
 * @param more further changes, of other tables
 * @returns the messages in the order of the drafts
 */
export async function insertMessages(
  tx: Tx,
  lanes: Lanes,
  drafts: readonly Draft[],
  more: readonly Change[],
): Promise<Message[]> {
  const nextId = await nextIds(
    tx,
    "message",
    drafts.map(({ agentId }) => agentId),
  );
  const now = Date.now();
  const messages = drafts.map((draft) => {
    const {
      agentId,
      text,
      author,
      expiresAfterMs,
      conversation,
      decisionId,
      delayMs = 0,
      answeredAddressId,
    } = draft;
    return tx.create(Message, {
      id: nextId(agentId),
      agentId,
      text,
      author,
      direction: MessageDirection.outbound,
      status: MessageStatus.queued,
      createdAt: timestampOf(now),
      notBefore: delayMs === 0 ? null : timestampOf(now + delayMs),
      expiresAt: timestampOf(now + delayMs + expiresAfterMs),
      decisionId: decisionId ?? null,
      answeredAddressId: answeredAddressId ?? null,
      conversationId: conversation?.conversationId ?? null,
      sequence: conversation?.sequence ?? null,
      fence: conversation?.fence ?? null,
    });
  });
  const due = messages.map(({ id, agentId, conversationId }) =>
    conversationId === null
      ? { id, agentId, kind: MESSAGE_LANE }
      : { id: conversationId, agentId, kind: CONVERSATION_LANE },
  );
  return store(tx, lanes, messages, MessageStatus.queued, [...more, ...lanes.adding(tx, due)]);
}

/** A contact's message, in a locked conversation. */
type ReceivedDraft = Pick<
  Message,
  "agentId" | "text" | "conversationId" | "sequence" | "lineId" | "providerId" | "omitted" | "sentAt"
> &
  Partial<Pick<Message, "subject" | "quoted" | "thread">>;

/**
 * Stores messages from contacts.
 * @param tx holds the lock `MESSAGE_ORDER` and the locks of the conversations
 * @param decide sets the decisions about the messages, which already have their IDs, and returns further changes
 * @returns the messages in the order of the drafts
 */
export async function insertReceived(
  tx: Tx,
  lanes: Lanes,
  drafts: readonly ReceivedDraft[],
  decide: (messages: readonly Message[]) => Promise<readonly Change[]>,
): Promise<Message[]> {
  const nextId = await nextIds(
    tx,
    "message",
    drafts.map(({ agentId }) => agentId),
  );
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
  return store(tx, lanes, messages, MessageStatus.received, await decide(messages));
}

async function store(
  tx: Tx,
  lanes: Lanes,
  messages: Message[],
  status: MessageStatus.queued | MessageStatus.received,
  more: readonly Change[],
): Promise<Message[]> {
  await changeTogether(tx, [...more, ...insertsOf(tx, Message, messages)]);
  lanes.observing(tx).count(MESSAGES, [status], messages.length);
  recordEvents(
    tx,
    messages.map((message) => messageEvent(`message.${status}`, message)),
  );
  return messages;
}

/** A message in the state in which it was accepted. */
export const asAccepted = (message: Message): Message => ({
  ...message,
  status: MessageStatus.queued,
  lineId: null,
  attempts: 0,
  heldReason: null,
  notBefore: null,
  errorCode: null,
  errorText: null,
  providerId: null,
  sentAt: null,
  deliveredAt: null,
  readAt: null,
  updatedAt: null,
});
