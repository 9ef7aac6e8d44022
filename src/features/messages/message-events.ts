import type { EventType } from "../events/event-types";
import type { NewEvent } from "../events/record-events";
import type { Message } from "./message.entity";

/** What an event says about a message; its text is read by its ID. */
export type Told = Pick<Message, "id" | "agentId" | "conversationId" | "status" | "author"> &
  Partial<Pick<Message, "sequence" | "decisionId" | "lineId" | "errorCode" | "providerId">>;

/** An event about a message. */
export const messageEvent = (
  type: EventType,
  { id, agentId, conversationId, status, author, sequence, decisionId, lineId, errorCode, providerId }: Told,
): NewEvent => ({
  agentId,
  type,
  subject: conversationId === null ? `message:${id}` : `conversation:${conversationId}`,
  data: { id, conversationId, sequence, status, author, decisionId, lineId, errorCode, providerId },
});
