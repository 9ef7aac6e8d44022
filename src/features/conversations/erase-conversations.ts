import { MoreThan } from "typeorm";
import { inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import type { ErasureStep } from "../contacts/erasures";
import { Message } from "../messages/message.entity";
import { MessageError } from "../messages/message.enums";
import { Conversation, ConversationState } from "./conversation.entity";
import { ConversationLogEntry } from "./conversation-log-entry.entity";
import { lockConversations } from "./find-conversation";
import { all } from "./planned-change";
import { storeChange } from "./store-change";

/** Number of messages whose texts can be cleared in the time that closing one conversation takes. */
const CONVERSATION_ROWS = 20;

/** The last closed conversation, and the sequence number of its last cleared message. */
interface Position {
  id: string;
  erased: number;
  last: number;
}

/**
 * Closes an erased contact's conversations and clears the texts of their messages. A closed conversation gets no new
 * messages, and an erased contact no new conversations, so no text is left behind.
 */
export const eraseConversations =
  (database: Database, lanes: Lanes): ErasureStep =>
  (contactId, options) =>
    inChunks<Position>(
      database,
      (tx, after, limit) => eraseChunk({ lanes, tx }, contactId, after, limit),
      options,
    );

async function eraseChunk(
  { lanes, tx }: { lanes: Lanes; tx: Tx },
  contactId: string,
  after: Position | undefined,
  limit: number,
): Promise<Position | undefined> {
  let at = after;
  for (let left = limit; left > 0; ) {
    if (at === undefined || at.erased === at.last) {
      const next: Conversation | null = await tx.findOne(Conversation, {
        where: { contactId, ...(at !== undefined && { id: MoreThan(at.id) }) },
        order: { id: "ASC" },
      });
      if (next === null) return undefined;
      const { id } = next;
      const conversation = (await lockConversations(tx, [id])).get(id) as Conversation;
      if (conversation.state === ConversationState.open) {
        await storeChange(tx, lanes, conversation, {
          change: { state: ConversationState.closed },
          cancel: all(MessageError.closed),
        });
      }
      await tx.update(ConversationLogEntry, { conversationId: id }, { reason: null });
      at = { id, erased: 0, last: conversation.lastSequence };
      left -= CONVERSATION_ROWS;
      continue;
    }
    const { id, erased, last }: Position = at;
    const next = Math.min(last, erased + left);
    // A receiver's response may repeat the message.
    await tx.query(
      `update delivery_attempt set detail = null where detail is not null and message_id in
         (select id from message where conversation_id = $1 and sequence > $2 and sequence <= $3)`,
      [id, erased, next],
    );
    await tx
      .createQueryBuilder()
      .update(Message)
      .set({
        text: "",
        errorText: null,
        omitted: null,
        subject: null,
        html: null,
        quoted: null,
        proposedText: null,
        thread: null,
      })
      .where({ conversationId: id })
      .andWhere("(message <> '' OR omitted IS NOT NULL OR thread IS NOT NULL)")
      .andWhere("sequence > :erased AND sequence <= :next", { erased, next })
      .execute();
    left -= next - erased;
    at = { id, erased: next, last };
  }
  return at;
}
