import { type EntityManager, In, type ObjectLiteral } from "typeorm";
import type { ContactPart } from "../contacts/contact-export";
import { DeliveryAttempt } from "../messages/delivery-attempt.entity";
import { IS_UNPLACED, Message } from "../messages/message.entity";
import { Conversation } from "./conversation.entity";
import { ConversationLogEntry } from "./conversation-log-entry.entity";

const messagesOf = (reader: EntityManager, contactId: string) =>
  reader
    .createQueryBuilder(Message, "message")
    .innerJoin(Conversation, "conversation", "conversation.id = message.conversation_id")
    .where("conversation.contact_id = :contactId", { contactId });

const withAttempts = async (reader: EntityManager, messages: readonly ObjectLiteral[]) => {
  const messageId = In(messages.map(({ id }) => id));
  const attempts = await reader.find(DeliveryAttempt, { where: { messageId }, order: { number: "ASC" } });
  return messages.map((message) => ({
    ...message,
    deliveryAttempts: attempts.filter((attempt) => attempt.messageId === message.id),
  }));
};

/** Exports a contact's conversations, logs and messages; messages without a position come last. */
export const conversationParts: readonly ContactPart[] = [
  {
    kind: "conversation",
    rows: (reader, contactId) => reader.createQueryBuilder(Conversation, "conversation").where({ contactId }),
    order: ["conversation.id"],
  },
  {
    kind: "conversation_log_entry",
    rows: (reader, contactId) =>
      reader
        .createQueryBuilder(ConversationLogEntry, "entry")
        .innerJoin(Conversation, "conversation", "conversation.id = entry.conversation_id")
        .where("conversation.contact_id = :contactId", { contactId }),
    order: ["entry.conversationId", "entry.id"],
  },
  {
    kind: "message",
    rows: (reader, contactId) => messagesOf(reader, contactId).andWhere("message.sequence IS NOT NULL"),
    order: ["message.conversationId", "message.sequence"],
    dataOf: withAttempts,
  },
  {
    kind: "message",
    rows: (reader, contactId) => messagesOf(reader, contactId).andWhere(IS_UNPLACED),
    order: ["message.conversationId", "message.id"],
    dataOf: withAttempts,
  },
];
