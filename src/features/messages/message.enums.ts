import { registerEnumType } from "type-graphql";

export enum MessageStatus {
  scheduled = "scheduled",
  queued = "queued",
  sending = "sending",
  sent = "sent",
  delivered = "delivered",
  read = "read",
  canceled = "canceled",
  failed = "failed",
  received = "received",
}

registerEnumType(MessageStatus, {
  name: "MessageStatus",
  description: "Delivery status of a message.",
  valuesConfig: {
    scheduled: { description: "Accepted, but not queued before `sendAt`." },
    queued: { description: "Accepted and stored, but not sent yet." },
    sending: { description: "Being sent; can no longer be canceled." },
    sent: { description: "Accepted by the line's provider." },
    delivered: { description: "Delivered to the other end of the line." },
    read: { description: "The contact has read it." },
    canceled: { description: "Canceled before it was sent." },
    failed: { description: "Given up; see `errorCode` for the reason." },
    received: { description: "Written by the contact." },
  },
});

/** Why a queued message is waiting; `behind` is not stored. */
export enum HeldReason {
  behind = "behind",
  rate = "rate",
  line_paused = "line_paused",
  no_route = "no_route",
  organization_deactivated = "organization_deactivated",
  retry = "retry",
  imported = "imported",
}

registerEnumType(HeldReason, {
  name: "HeldReason",
  description: "Why a queued message is waiting.",
  valuesConfig: {
    behind: { description: "Messages of the same conversation come first; see `waitsFor`." },
    rate: { description: "The line has reached its limit of messages per minute." },
    line_paused: { description: "The line is paused or archived." },
    no_route: { description: "The agent has no default line." },
    organization_deactivated: { description: "The organization is deactivated." },
    retry: {
      description: "An attempt to send the message failed; `notBefore` is the time of the next attempt.",
    },
    imported: {
      description:
        "The message was queued by a gateway version that could not send messages; an operator has to release it.",
    },
  },
});

/** Why a message is not queued yet. */
export enum ScheduledReason {
  delay = "delay",
  window = "window",
  cap = "cap",
}

registerEnumType(ScheduledReason, {
  name: "ScheduledReason",
  description: "Why a message is scheduled.",
  valuesConfig: {
    delay: { description: "The sender asked for a later time." },
    window: { description: "The agent's policy sends no messages to the contact at this time." },
    cap: { description: "The contact got as many messages as the agent's policy allows within a period." },
  },
});

/** Why a message was canceled or given up. */
export enum MessageError {
  canceled = "canceled",
  moved = "moved",
  handed_off = "handed_off",
  closed = "closed",
  opted_out = "opted_out",
  undeliverable = "undeliverable",
  expired = "expired",
  no_address = "no_address",
  rejected = "rejected",
  uncertain = "uncertain",
  capped = "capped",
}

registerEnumType(MessageError, {
  name: "MessageError",
  description: "Why a message was canceled or given up.",
  valuesConfig: {
    canceled: { description: "A caller canceled the message." },
    moved: { description: "The conversation was moved to another line before the message was sent." },
    handed_off: { description: "The conversation was handed off to a human before the message was sent." },
    closed: { description: "The conversation was closed before the message was sent." },
    opted_out: {
      description:
        "The contact has opted out of messages to this address, or does not consent to the topic of the message.",
    },
    undeliverable: { description: "A mail server reported that the contact's address does not exist." },
    expired: { description: "The message could not be sent before it expired." },
    no_address: { description: "The contact has no address to which the message could be sent." },
    rejected: { description: "The receiver permanently rejected the message; see `errorText`." },
    uncertain: {
      description: "It is unknown whether the message was sent, and the line does not resend such messages.",
    },
    capped: {
      description: "A cap of the agent's policy did not allow the message before it expired.",
    },
  },
});

export enum MessageDirection {
  outbound = "outbound",
  inbound = "inbound",
}

registerEnumType(MessageDirection, {
  name: "MessageDirection",
  description: "Direction of a message.",
  valuesConfig: {
    outbound: { description: "To the contact, from the agent, a member, a client or the gateway." },
    inbound: { description: "From the contact." },
  },
});

export enum MessageAuthor {
  agent = "agent",
  api = "api",
  member = "member",
  system = "system",
  contact = "contact",
}

registerEnumType(MessageAuthor, {
  name: "MessageAuthor",
  description: "Who wrote a message.",
  valuesConfig: {
    agent: { description: "The agent, as the result of a decision." },
    api: { description: "A client with an API key." },
    member: { description: "A member of the organization." },
    system: { description: "The gateway itself; for example, an opt-out confirmation." },
    contact: { description: "The contact." },
  },
});
