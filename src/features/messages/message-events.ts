import type { Tx } from "../../database/unit-of-work";
import type { HookRegistry } from "../../schema/hooks";
import type { EventType } from "../events/event-types";
import type { NewEvent } from "../events/record-events";
import type { Message } from "./message.entity";
import { MessageStatus } from "./message.enums";

/** The data of a message event; clients fetch the text by ID. */
export type Told = Pick<Message, "id" | "agentId" | "conversationId" | "status" | "author"> &
  Partial<Message>;

/** Returns an event about a message. */
export const messageEvent = (
  type: EventType,
  { id, agentId, conversationId, status, author, ...more }: Told,
): NewEvent => ({
  agentId,
  type,
  subject: conversationId === null ? `message:${id}` : `conversation:${conversationId}`,
  data: {
    id,
    conversationId,
    sequence: more.sequence ?? null,
    status,
    author,
    decisionId: more.decisionId ?? null,
    lineId: more.lineId ?? null,
    errorCode: more.errorCode ?? null,
    providerId: more.providerId ?? null,
    ...(type === "message.proposed" && { scheduledBy: more.scheduledBy ?? null }),
    ...(type === "message.approved" && { isEdited: more.text !== more.proposedText }),
    ...(type === "message.scheduled" && {
      sendAt: more.sendAt ?? null,
      scheduledReason: more.scheduledReason ?? null,
      scheduledBy: more.scheduledBy ?? null,
    }),
  },
});

/** SQL RETURNING list that returns the properties of `Told`. */
export const TOLD = `message.id, message.agent_id as "agentId", message.conversation_id as "conversationId", message.status,
  message.author, message.sequence, message.decision_id as "decisionId", message.line_id as "lineId",
  message.error_code as "errorCode", message.provider_id as "providerId"`;

/** Returns the event for a message's new status, which must not be `sending`. */
export const statusEvent = (message: Told): NewEvent =>
  messageEvent(`message.${message.status as Exclude<MessageStatus, "sending">}`, message);

/** Returns events for messages whose status has just changed; retries and dispatches do not cause events. */
export const statusEvents = (messages: readonly Told[]): NewEvent[] =>
  messages
    .filter(({ status }) => status !== MessageStatus.queued && status !== MessageStatus.sending)
    .map(statusEvent);

/** A message that failed permanently. */
export type FailedMessage = Pick<Message, "id" | "errorCode">;

declare module "../../schema/hooks" {
  interface Hooks {
    /** Joins the transaction that marks messages as failed; must not wait for locks, as it may hold lanes. */
    messagesFailed: (tx: Tx, failed: readonly FailedMessage[]) => Promise<void>;
  }
}

/** Notifies other features of messages that a transaction marks as failed. */
export async function tellFailed(
  tx: Tx,
  hooks: HookRegistry,
  failed: readonly FailedMessage[],
): Promise<void> {
  if (failed.length === 0) return;
  for (const hook of hooks.of("messagesFailed")) await hook(tx, failed);
}
