import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { Uuid } from "../../common/uuid";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";
import { InsertOrderLock } from "../../database/insert-order-lock";
import { PROVIDER_ID_MAX_LENGTH } from "../../delivery/driver";
import { MaxCharacters } from "../../schema/list-size";
import { ThirdPartyText } from "../../schema/third-party-text";
import { Agent } from "../agents/agent.entity";
import { MESSAGE_TEXT_MAX_LENGTH } from "./message.limits";

/** Keeps IDs in commit order within an agent, because clients page through its messages while others are added. */
export const MESSAGE_ORDER = new InsertOrderLock(2, { authorizesCallers: true });

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
    opted_out: { description: "The contact has opted out of messages to this address." },
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

/** The condition for unsent messages, with the text of the partial index, because SQLite compares texts. */
export const IS_UNSENT = "status IN ('queued', 'sending')";

/** The condition for scheduled messages, with the text of the partial index. */
export const IS_SCHEDULED = "status = 'scheduled'";

/** Max time a message without a line may wait to be sent: 72 hours. */
export const EXPIRE_AFTER_MS = 72 * 60 * 60 * 1000;

/** In code points. */
export const ERROR_TEXT_MAX_LENGTH = 500;

/** Max length of a path such as `policy.windows[19]`. */
export const POLICY_PATH_MAX_LENGTH = 40;

/** In code points. */
export const OMITTED_MAX_LENGTH = 500;

/** In code points. */
export const SUBJECT_MAX_LENGTH = 500;

/** Message IDs are ASCII. */
export const THREAD_MAX_LENGTH = 2_000;

@ObjectType({
  simpleResolvers: true,
  description:
    "A message to or from an agent. Only that agent, and members with permission to read conversations, can read it.",
})
@Entity()
@Index(["agentId", "id"])
@Index(["agentId", "status", "id"])
@Index("message_imported", ["agentId", "id"], { where: "held_reason = 'imported'" })
@Index("message_in_conversation", ["conversationId", "sequence"], {
  unique: true,
  where: "conversation_id IS NOT NULL",
})
@Index("message_provider_id", ["lineId", "direction", "providerId"], {
  unique: true,
  where: "provider_id IS NOT NULL",
})
@Index("message_answers", ["answeredAddressId", "createdAt"], { where: "answered_address_id IS NOT NULL" })
@Index("message_capped", ["cappedContactId", "sentAt"], { where: "capped_contact_id IS NOT NULL" })
@Index("message_queue", ["conversationId", "sequence"], {
  where: `conversation_id IS NOT NULL AND ${IS_UNSENT}`,
})
@Index("message_scheduled", ["conversationId", "id"], {
  where: `conversation_id IS NOT NULL AND ${IS_SCHEDULED}`,
})
export class Message {
  @Field(() => ID, { description: "Unique identifier (UUID, ordered by creation time)." })
  @Uuid
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @Field(() => ID, { description: "ID of the agent that the message belongs to." })
  @Uuid
  @Column(UUID_COLUMN)
  agentId!: string;

  @ManyToOne(() => Agent)
  agent?: Agent;

  @ThirdPartyText()
  @Field(() => String, { description: "Text of the message." })
  @MaxCharacters(MESSAGE_TEXT_MAX_LENGTH)
  @Column({ type: "text", name: "message" })
  text!: string;

  @ThirdPartyText()
  @Field(() => String, {
    nullable: true,
    description:
      "Subject of an inbound e-mail, or of an outbound one that starts a conversation; null without one of its own.",
  })
  @MaxCharacters(SUBJECT_MAX_LENGTH)
  @Column({ type: "varchar", length: SUBJECT_MAX_LENGTH, nullable: true })
  subject!: string | null;

  @ThirdPartyText()
  @Field(() => String, {
    nullable: true,
    description:
      "The part of an inbound e-mail that its author did not write: quoted e-mails and signatures; null without one.",
  })
  @MaxCharacters(MESSAGE_TEXT_MAX_LENGTH)
  @Column({ type: "text", nullable: true })
  quoted!: string | null;

  /**
   * The `References` of a reply to an inbound e-mail, separated by spaces: the message IDs of its thread and, last, its
   * own; null for all other messages.
   */
  @Column({ type: "varchar", length: THREAD_MAX_LENGTH, nullable: true })
  thread!: string | null;

  @Field(() => MessageStatus, { description: "Delivery status of the message." })
  @Column({ type: "varchar", length: 16 })
  status!: MessageStatus;

  @Field(() => GraphQLISODateTime, { description: "When the message was accepted." })
  @Column(TIMESTAMP_COLUMN)
  createdAt!: Timestamp;

  @Field(() => ID, {
    nullable: true,
    description:
      "ID of the decision that sent the message or, for an inbound message, that it led to; null if there is none.",
  })
  @Column({ type: "varchar", length: 36, nullable: true })
  decisionId!: string | null;

  /** The contact's address that the message answers automatically; null for all other messages. */
  @Column({ type: "varchar", length: 36, nullable: true })
  answeredAddressId!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "ID of the message's conversation; null if the message does not belong to one.",
  })
  @Column({ type: "varchar", length: 36, nullable: true })
  conversationId!: string | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "Number of the message in the conversation, starting at 1; null while the message is scheduled. Numbers may have gaps.",
  })
  @Column({ type: "integer", nullable: true })
  sequence!: number | null;

  @Field(() => MessageDirection, { description: "Direction of the message." })
  @Column({ type: "varchar", length: 8, default: MessageDirection.outbound })
  direction!: MessageDirection;

  @Field(() => MessageAuthor, { description: "Who wrote the message." })
  @Column({ type: "varchar", length: 8, default: MessageAuthor.api })
  author!: MessageAuthor;

  /** The conversation's version when the message was accepted; it is not sent at any other version. */
  @Column({ type: "integer", nullable: true })
  fence!: number | null;

  @Field(() => ID, {
    nullable: true,
    description: "ID of the line on which the message was last sent or received.",
  })
  @Column({ type: "varchar", length: 36, nullable: true })
  lineId!: string | null;

  @Column({ type: "varchar", length: 32, nullable: true })
  heldReason!: HeldReason | null;

  @Field(() => Int, { description: "Number of attempts made to send the message." })
  @Column({ type: "integer", default: 0 })
  attempts!: number;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: "Earliest time of the next attempt to send the message, if it waits for one.",
  })
  @Column({ type: "varchar", length: 24, nullable: true })
  notBefore!: Timestamp | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: "When a scheduled message is queued, or was to be queued; null if it was never scheduled.",
  })
  @Column({ type: "varchar", length: 24, nullable: true })
  sendAt!: Timestamp | null;

  @Field(() => ScheduledReason, {
    nullable: true,
    description: "Why the message is scheduled; null if it is not.",
  })
  @Column({ type: "varchar", length: 8, nullable: true })
  scheduledReason!: ScheduledReason | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Path of the part of the agent's configuration by which the message is scheduled, such as `policy.windows[0]`; null if none is.",
  })
  @MaxCharacters(POLICY_PATH_MAX_LENGTH)
  @Column({ type: "varchar", length: POLICY_PATH_MAX_LENGTH, nullable: true })
  scheduledBy!: string | null;

  /** The contact for whom the caps of the agent's policy count the message; null if none counts it. */
  @Column({ type: "varchar", length: 36, nullable: true })
  cappedContactId!: string | null;

  @Field(() => Boolean, {
    description:
      "True if no window or cap holds back the message, and it is sent before others that wait for the rate of the line.",
  })
  @Column({ type: "boolean", default: false })
  isUrgent!: boolean;

  @Field(() => MessageError, { nullable: true, description: "Why the message was canceled or given up." })
  @Column({ type: "varchar", length: 32, nullable: true })
  errorCode!: MessageError | null;

  @ThirdPartyText()
  @Field(() => String, {
    nullable: true,
    description: "Human-readable error message of the last attempt; null if there was no error.",
  })
  @MaxCharacters(ERROR_TEXT_MAX_LENGTH)
  @Column({ type: "varchar", length: ERROR_TEXT_MAX_LENGTH, nullable: true })
  errorText!: string | null;

  @ThirdPartyText()
  @Field(() => String, {
    nullable: true,
    description:
      "Human-readable description of the parts of an inbound message that were not stored; null if all parts were stored.",
  })
  @MaxCharacters(OMITTED_MAX_LENGTH)
  @Column({ type: "varchar", length: OMITTED_MAX_LENGTH, nullable: true })
  omitted!: string | null;

  @ThirdPartyText()
  @Field(() => String, {
    nullable: true,
    description: "Message ID assigned by the system at the other end of the line.",
  })
  @Column({ type: "varchar", length: PROVIDER_ID_MAX_LENGTH, nullable: true })
  providerId!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "ID of the message that sent the text of this failed one again; null if none did.",
  })
  @Column({ ...UUID_COLUMN, nullable: true })
  resentAs!: string | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      "When the message is given up if it has not been sent; null for messages queued by earlier gateway versions.",
  })
  @Column({ type: "varchar", length: 24, nullable: true })
  expiresAt!: Timestamp | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: "When the message was sent or, for an inbound message, when the contact wrote it.",
  })
  @Column({ type: "varchar", length: 24, nullable: true })
  sentAt!: Timestamp | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: "When the message was delivered." })
  @Column({ type: "varchar", length: 24, nullable: true })
  deliveredAt!: Timestamp | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: "When the contact read the message." })
  @Column({ type: "varchar", length: 24, nullable: true })
  readAt!: Timestamp | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: "When the delivery status last changed; null if it has not changed yet.",
  })
  @Column({ type: "varchar", length: 24, nullable: true })
  updatedAt!: Timestamp | null;
}
