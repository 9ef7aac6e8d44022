import { In } from "typeorm";
import { inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import { nextOfParents } from "../../database/next-of-parents";
import { placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import type { ErasureStep } from "../contacts/erasures";
import { Message } from "../messages/message.entity";
import { MessageError } from "../messages/message.enums";
import { cancelQueued, withUnsent } from "./cancel-messages";
import { Conversation, ConversationState } from "./conversation.entity";
import { lockConversations } from "./find-conversation";
import { all } from "./planned-change";
import { closeAll } from "./store-change";

/** Number of messages that can be cleared in the time that closing one conversation takes. */
const CONVERSATION_ROWS = 5;

/** The last closed conversation, and the sequence number of its last cleared message. */
interface Position extends Pick<Conversation, "contactId" | "id"> {
  erased: number;
  last: number;
}

/**
 * Closes erased contacts' conversations, cancels unsent messages and clears all texts. No text is left: every
 * message has its position, closed conversations get no messages, and erased contacts get no conversations.
 */
export const eraseConversations =
  (database: Database, lanes: Lanes): ErasureStep =>
  (contactIds, options) =>
    inChunks<Position>(
      database,
      (tx, after, limit) => eraseChunk({ lanes, tx }, contactIds, after, limit),
      options,
    );

async function eraseChunk(
  { lanes, tx }: { lanes: Lanes; tx: Tx },
  contactIds: readonly string[],
  after: Position | undefined,
  limit: number,
): Promise<Position | undefined> {
  if (after !== undefined && after.erased < after.last) {
    const erased = Math.min(after.last, after.erased + limit);
    await lanes.lock(tx, after.id);
    await clearMessages(tx, [after.id], { after: after.erased, to: erased });
    return { ...after, erased };
  }
  const take = Math.ceil(limit / CONVERSATION_ROWS);
  const next = await nextOfParents(tx, Conversation, {
    index: ["contactId", "id"],
    parents: contactIds,
    select: ["contactId", "id", "lastSequence"],
    after,
    limit: take,
  });
  let messages = 0;
  const some = next.filter(({ lastSequence }) => {
    messages += lastSequence;
    return messages <= limit;
  });
  // A long conversation's messages are cleared in several chunks.
  const isLong = some.length === 0;
  const ids = (isLong ? next.slice(0, 1) : some).map(({ id }) => id);
  const conversations = await lockConversations(tx, ids);
  const last = conversations.get(ids.at(-1) ?? "");
  if (last === undefined) return undefined;
  // Waits for messages that are being sent, because their results may contain texts to clear as well.
  await lanes.lockAll(tx, ids);
  const isOpen = ({ state }: Conversation) => state === ConversationState.open;
  await closeAll(tx, lanes, [...conversations.values()].filter(isOpen));
  // A decision that closed a conversation may have scheduled or proposed messages in it.
  for (const id of await withUnsent(tx, ids))
    await cancelQueued(tx, lanes, conversations.get(id) as Conversation, all(MessageError.closed));
  await tx.query(
    `update conversation_log_entry set reason = null
     where reason is not null and conversation_id in ${placeholders(1, ids.length)}`,
    ids,
  );
  if (!isLong) await clearMessages(tx, ids);
  if (!isLong && ids.length < take && ids.length === next.length) return undefined;
  return {
    contactId: last.contactId,
    id: last.id,
    erased: isLong ? 0 : last.lastSequence,
    last: last.lastSequence,
  };
}

const CLEARED = {
  text: "",
  errorText: null,
  omitted: null,
  subject: null,
  html: null,
  quoted: null,
  proposedText: null,
  thread: null,
};

/**
 * Clears the texts of messages in conversations.
 * @param range the sequence numbers to include: after `after`, up to and including `to`
 */
async function clearMessages(
  tx: Tx,
  conversationIds: readonly string[],
  range?: { after: number; to: number },
): Promise<void> {
  const inRange = range === undefined ? "" : ` and sequence > ${range.after} and sequence <= ${range.to}`;
  // Clears errors as well, because a receiver's response may quote the message.
  await tx.query(
    `update delivery_attempt set detail = null where detail is not null and message_id in
       (select id from message where conversation_id in ${placeholders(1, conversationIds.length)}${inRange})`,
    [...conversationIds],
  );
  await tx
    .createQueryBuilder()
    .update(Message)
    .set(CLEARED)
    .where({ conversationId: In([...conversationIds]) })
    .andWhere(`(message <> '' OR omitted IS NOT NULL OR thread IS NOT NULL)${inRange}`)
    .execute();
}
