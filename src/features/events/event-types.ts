/** All types of events, with what they say. */
export const EVENT_TYPES = {
  "message.queued": "A message was queued.",
  "message.sent": "A message was sent; it is not known yet whether it arrived.",
  "message.delivered": "A message was delivered.",
  "message.read": "The contact has read a message.",
  "message.failed": "A message was given up.",
  "message.canceled": "A message was canceled.",
  "message.received": "A contact wrote a message.",
  "decision.made": "The agent has decided.",
  "decision.failed": "A decision could not be made.",
  "conversation.opened": "A conversation was opened.",
  "conversation.moved": "A conversation was moved to another line.",
  "conversation.handed_off": "A conversation was handed off to a human.",
  "conversation.released": "The agent answers again in a conversation.",
  "conversation.loop_detected":
    "The agent stopped answering an address, which got too many automatic answers within an hour.",
  "conversation.closed": "A conversation was closed.",
  "contact.created": "A contact was created.",
  "contact.updated": "A contact was changed.",
  "contact.erased": "A contact was erased.",
  "contact.tags_changed": "Tags were added to a contact or removed from it.",
  "contact.opted_out": "A contact opted out of messages to an address.",
  "contact.opted_in": "A contact opted in again to messages to an address.",
  "configuration.published": "A version of the configuration was published.",
  "line.paused": "A line was paused.",
  "line.resumed": "A line was resumed.",
} as const;

export type EventType = keyof typeof EVENT_TYPES;
