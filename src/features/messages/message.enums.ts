import { enumOf } from "../../common/declared-enum";

export const MessageStatus = enumOf("MessageStatus", "Delivery status of a message.", {
  proposed: "Written by the agent, but not queued until a person approves it.",
  scheduled: "Accepted, but not queued until `sendAt`.",
  queued: "Accepted and stored, but not sent yet.",
  sending: "Being sent. The message can no longer be canceled.",
  sent: "Accepted by the line's provider.",
  delivered: "Delivered to the contact.",
  read: "Read by the contact.",
  canceled: "Canceled before it was sent.",
  failed: "Not delivered. See `errorCode` for the reason.",
  received: "Written by the contact.",
});
export type MessageStatus = keyof typeof MessageStatus;

/** `behind` is computed rather than stored. */
export const HeldReason = enumOf("HeldReason", "Reason why a queued message is waiting.", {
  behind: "Earlier messages in the same conversation must be sent first. See `waitsFor`.",
  rate: "The line has reached its per-minute message limit.",
  line_paused: "The line is paused or archived.",
  no_route: "The agent has no default line.",
  organization_deactivated: "The organization is deactivated.",
  retry: "An attempt to send the message failed. `notBefore` is the time of the next attempt.",
  imported:
    "The message was queued by a gateway version that could not send messages. An operator must release it.",
});
export type HeldReason = keyof typeof HeldReason;

export const ScheduledReason = enumOf("ScheduledReason", "Reason why a message is scheduled.", {
  delay: "The sender requested a later time.",
  window: "The agent's policy does not allow messages to the contact at this time.",
  cap: "The contact has received as many messages as the agent's policy allows within a period.",
});
export type ScheduledReason = keyof typeof ScheduledReason;

export const MessageError = enumOf("MessageError", "Reason why a message was canceled or failed.", {
  canceled: "A caller canceled the message.",
  moved: "The conversation was moved to another line before the message was sent.",
  handed_off: "The conversation was handed off to a human before the message was sent.",
  closed: "The conversation was closed before the message was sent.",
  opted_out:
    "The contact has opted out of messages to this address, or does not consent to the topic of the message.",
  undeliverable: "A mail server reported that the contact's address does not exist.",
  expired: "The message could not be sent before it expired.",
  no_address: "The contact has no address that the message can be sent to.",
  rejected: "The receiver permanently rejected the message. See `errorText`.",
  uncertain: "It is unknown whether the message was sent, so it is not resent.",
  discarded: "A person discarded the proposed message. `errorText` contains the reason, if one was given.",
  capped: "A cap in the agent's policy held the message back until it expired.",
});
export type MessageError = keyof typeof MessageError;

export const MessageDirection = enumOf("MessageDirection", "Direction of a message.", {
  outbound: "To the contact, from the agent, a member, a client or the gateway.",
  inbound: "From the contact.",
});
export type MessageDirection = keyof typeof MessageDirection;

export const MessageAuthor = enumOf("MessageAuthor", "Author of a message.", {
  agent: "The agent, as the result of a decision.",
  api: "A client with an API key.",
  member: "A member of the organization.",
  system: "The gateway, for example in an opt-out confirmation.",
  contact: "The contact.",
});
export type MessageAuthor = keyof typeof MessageAuthor;
