import { In } from "typeorm";
import { timestamp } from "../../common/time";
import { placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { Line } from "../lines/line.entity";
import { queueFull } from "../messages/agent-queues";
import { type Draft, insertMessages } from "../messages/insert-messages";
import { IS_UNSENT, Message } from "../messages/message.entity";
import type { Conversation } from "./conversation.entity";
import { MAX_QUEUED } from "./conversation.limits";

/** A message for a conversation. */
export interface NewMessageIn
  extends Pick<Draft, "message" | "author" | "decisionId" | "delayMs" | "answeredAddressId"> {
  conversation: Conversation;
}

/**
 * Queues messages in conversations that the transaction has locked, or just opened.
 * @param tx holds the lock `MESSAGE_ORDER`, too
 * @returns the messages in the order of the drafts
 */
export async function queueMessages(
  tx: Tx,
  lanes: Lanes,
  drafts: readonly NewMessageIn[],
): Promise<Message[]> {
  const conversations = [...new Set(drafts.map(({ conversation }) => conversation))];
  const lineIds = conversations.map(({ lineId }) => lineId);
  const lines = new Map((await tx.findBy(Line, { id: In(lineIds) })).map((line) => [line.id, line]));
  const messages = await insertMessages(
    tx,
    lanes,
    drafts.map(({ conversation, ...draft }) => {
      conversation.lastSequence += 1;
      return {
        ...draft,
        agentId: conversation.agentId,
        expiresAfterMs: (lines.get(conversation.lineId) as Line).expireAfterSeconds * 1000,
        conversation: {
          conversationId: conversation.id,
          sequence: conversation.lastSequence,
          fence: conversation.version,
        },
      };
    }),
  );
  await storeSequences(tx, conversations);
  return messages;
}

/** How many messages the queue of a conversation takes, of those that are wanted. */
export async function roomIn(tx: Tx, { id, lastSequence }: Conversation, wanted: number): Promise<number> {
  // A conversation with few messages has room in any case, which spares most of them the count.
  if (lastSequence + wanted <= MAX_QUEUED) return wanted;
  const queued = await tx
    .createQueryBuilder(Message, "message")
    .where("message.conversation_id = :id", { id })
    .andWhere(`message.${IS_UNSENT}`)
    .getCount();
  return Math.min(Math.max(0, MAX_QUEUED - queued), wanted);
}

/** The error for a message that the full queue of a conversation does not take. */
export const conversationQueueFull = () =>
  queueFull(`A conversation has at most ${MAX_QUEUED} queued messages.`);

/** Stores the numbers of the last messages of conversations. */
export async function storeSequences(tx: Tx, conversations: readonly Conversation[]): Promise<void> {
  const now = timestamp();
  for (const conversation of conversations) conversation.updatedAt = now;
  await tx.query(
    `with changed (id, last_sequence, at) as (values ${placeholders(conversations.length, 3)})
     update conversation set last_sequence = cast(changed.last_sequence as integer), updated_at = changed.at
     from changed where conversation.id = changed.id`,
    conversations.flatMap(({ id, lastSequence }) => [id, String(lastSequence), now]),
  );
}
