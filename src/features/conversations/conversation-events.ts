import type { EventType } from "../events/event-types";
import type { NewEvent } from "../events/record-events";
import { type Conversation, ConversationState, Handler } from "./conversation.entity";

/** Returns an event with a conversation's state, and with a release's reason or the assigned member. */
export const conversationEvent = (
  type: EventType,
  { id, agentId, contactId, lineId, state, handler, version }: Conversation,
  more: { reason?: string | undefined; assigneeId?: string | null } = {},
): NewEvent => ({
  agentId,
  type,
  subject: `conversation:${id}`,
  data: { id, contactId, lineId, state, handler, version, ...more },
});

export const typesOfChange = ({
  lineId,
  handler,
  state,
}: Partial<Pick<Conversation, "lineId" | "handler" | "state">>): EventType[] => [
  ...(lineId === undefined ? [] : (["conversation.moved"] as const)),
  ...(handler === Handler.human ? (["conversation.handed_off"] as const) : []),
  ...(handler === Handler.agent ? (["conversation.released"] as const) : []),
  ...(state === ConversationState.closed ? (["conversation.closed"] as const) : []),
];
