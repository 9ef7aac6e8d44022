import { BOOLEAN, ID, NUMBER, object, orNull, TEXT } from "../../schema/event-type";

const messageIn = (status: string | readonly string[], more = {}) =>
  object({
    id: ID,
    conversationId: orNull(ID),
    sequence: orNull(NUMBER),
    status: { type: "string", enum: [status].flat() },
    author: TEXT,
    decisionId: orNull(ID),
    lineId: orNull(ID),
    errorCode: orNull(TEXT),
    providerId: orNull(TEXT),
    ...more,
  });

export const messageEventTypes = {
  "message.proposed": {
    description: "A message is waiting for a person to approve or discard it.",
    data: messageIn("proposed", { scheduledBy: orNull(TEXT) }),
  },
  "message.approved": {
    description: "A person approved a proposed message, and it was queued or scheduled.",
    data: messageIn(["queued", "scheduled"], { isEdited: BOOLEAN }),
  },
  "message.scheduled": {
    description: "A message was scheduled to be queued at `sendAt`.",
    data: messageIn("scheduled", { sendAt: TEXT, scheduledReason: TEXT, scheduledBy: orNull(TEXT) }),
  },
  "message.queued": { description: "A message was queued.", data: messageIn("queued") },
  "message.sent": {
    description: "A message was sent, but is not yet confirmed as delivered.",
    data: messageIn("sent"),
  },
  "message.delivered": { description: "A message was delivered.", data: messageIn("delivered") },
  "message.read": { description: "The contact read a message.", data: messageIn("read") },
  "message.failed": { description: "A message could not be delivered.", data: messageIn("failed") },
  "message.canceled": { description: "A message was canceled.", data: messageIn("canceled") },
  "message.received": { description: "A contact wrote a message.", data: messageIn("received") },
};
