// Long, because a message is a single row with many columns.

import { Field, ID, Int, ObjectType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { Uuid } from "../../common/uuid";
import { UUID_COLUMN } from "../../database/columns";
import { InsertOrderLock } from "../../database/insert-order-lock";
import type { Tx } from "../../database/unit-of-work";
import { PROVIDER_ID_MAX_LENGTH } from "../../delivery/driver";
import { IdColumn, NullableId, NullableTime, TimeColumn } from "../../schema/columns";
import { MaxCharacters } from "../../schema/list-size";
import { ThirdPartyText } from "../../schema/third-party-text";
import { Agent } from "../agents/agent.entity";
import {
  HeldReason,
  MessageAuthor,
  MessageDirection,
  MessageError,
  MessageStatus,
  ScheduledReason,
} from "./message.enums";
import { MESSAGE_HTML_MAX_LENGTH, MESSAGE_TEXT_MAX_LENGTH } from "./message.limits";

/** Keeps IDs in commit order within an agent, because clients page through messages while more are added. */
export const MESSAGE_ORDER = new InsertOrderLock(2, { authorizesCallers: true });

/** Prevents other transactions from adding the agents' messages until this transaction ends. */
export const lockMessageOrder = (tx: Tx, owned: readonly { agentId: string }[]): Promise<void> => {
  const agentIds = owned.map(({ agentId }) => agentId);
  return tx.lockInsertOrder(MESSAGE_ORDER, agentIds);
};

/** Condition for unsent messages, as in the partial index, because SQLite compares the texts. */
export const IS_UNSENT = "status IN ('queued', 'sending')";

/** Condition for messages without a position in their conversation yet, as in the partial index. */
export const IS_UNPLACED = "status IN ('scheduled', 'proposed')";

/** Max time that a message without a line may wait to be sent (ms): 72 hours. */
export const EXPIRE_AFTER_MS = 72 * 60 * 60 * 1000;

/** Max length of an error text (code points). */
export const ERROR_TEXT_MAX_LENGTH = 500;

/** Max length of a path such as `policy.windows[19]`. */
export const POLICY_PATH_MAX_LENGTH = 40;

/** Max length of a topic's name. */
export const TOPIC_MAX_LENGTH = 63;

/** Max length of the description of omitted parts (code points). */
export const OMITTED_MAX_LENGTH = 500;

/** Max length of a subject (code points). */
export const SUBJECT_MAX_LENGTH = 500;

/** Max length of a thread's message IDs, which are ASCII. */
export const THREAD_MAX_LENGTH = 2_000;

@ObjectType({
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
@Index("message_unplaced", ["conversationId", "id"], {
  where: `conversation_id IS NOT NULL AND ${IS_UNPLACED}`,
})
export class Message {
  @Field(() => ID, { description: "Unique identifier (UUID, ordered by creation time)." })
  @Uuid
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @IdColumn("ID of the message's agent.")
  agentId!: string;

  @ManyToOne(() => Agent)
  agent?: Agent;

  @ThirdPartyText()
  @Field(() => String, { description: "Text of the message." })
  @MaxCharacters(MESSAGE_TEXT_MAX_LENGTH)
  @Column({ type: "text", name: "message" })
  text!: string;

  @ThirdPartyText()
  @Nullable(
    () => String,
    "Subject of an inbound e-mail, or of an outbound e-mail that starts a conversation. Null if the message has no subject of its own.",
  )
  @MaxCharacters(SUBJECT_MAX_LENGTH)
  @Column({ type: "varchar", length: SUBJECT_MAX_LENGTH, nullable: true })
  subject!: string | null;

  @ThirdPartyText()
  @Nullable(
    () => String,
    "The text as HTML, sent along with the plain text in an e-mail, or null if there is none.",
  )
  @MaxCharacters(MESSAGE_HTML_MAX_LENGTH)
  @Column({ type: "text", nullable: true })
  html!: string | null;

  @ThirdPartyText()
  @Nullable(
    () => String,
    "Quoted e-mails and signature that were removed from an inbound e-mail's `text`, or null if there are none.",
  )
  @MaxCharacters(MESSAGE_TEXT_MAX_LENGTH)
  @Column({ type: "text", nullable: true })
  quoted!: string | null;

  /**
   * The `References` for replies to an inbound e-mail: message IDs separated by spaces, its own last. Empty if no
   * ID is usable, and null for other messages.
   */
  @Column({ type: "varchar", length: THREAD_MAX_LENGTH, nullable: true })
  thread!: string | null;

  @Field(() => MessageStatus, { description: "Delivery status of the message." })
  @Column({ type: "varchar", length: 16 })
  status!: MessageStatus;

  @TimeColumn("When the message was accepted.")
  createdAt!: Timestamp;

  @NullableId(
    "ID of the decision that sent the message or, for an inbound message, of the decision that it triggered. Null if there is none.",
  )
  decisionId!: string | null;

  /** ID of the contact's address that the message automatically replies to; null for other messages. */
  @Column({ type: "varchar", length: 36, nullable: true })
  answeredAddressId!: string | null;

  @NullableId("ID of the message's conversation, or null if it does not belong to one.")
  conversationId!: string | null;

  @Nullable(
    () => Int,
    "Sequence number of the message in the conversation, starting at 1. There may be gaps. Null while the message is scheduled or proposed, and for messages without a conversation.",
  )
  @Column({ type: "integer", nullable: true })
  sequence!: number | null;

  @Field(() => MessageDirection, { description: "Direction of the message." })
  @Column({ type: "varchar", length: 8, default: MessageDirection.outbound })
  direction!: MessageDirection;

  @Field(() => MessageAuthor, { description: "Author of the message." })
  @Column({ type: "varchar", length: 8, default: MessageAuthor.api })
  author!: MessageAuthor;

  @NullableId("ID of the member who wrote the message, or null for other authors.")
  memberId!: string | null;

  /** The conversation version that the message was accepted for or carried over to; any other cancels it. */
  @Column({ type: "integer", nullable: true })
  fence!: number | null;

  @NullableId("ID of the line that last sent or received the message.")
  lineId!: string | null;

  @Column({ type: "varchar", length: 32, nullable: true })
  heldReason!: HeldReason | null;

  @Field(() => Int, { description: "Number of attempts made to send the message." })
  @Column({ type: "integer", default: 0 })
  attempts!: number;

  @NullableTime("Earliest time of the next attempt to send the message, or null if none is planned.")
  notBefore!: Timestamp | null;

  @NullableTime("When a scheduled message is or was due to be queued, or null if it was never scheduled.")
  sendAt!: Timestamp | null;

  @Nullable(() => ScheduledReason, "Reason why the message is scheduled, or null if it is not.")
  @Column({ type: "varchar", length: 8, nullable: true })
  scheduledReason!: ScheduledReason | null;

  @Nullable(
    () => String,
    "Path of the configuration setting that caused the message to be scheduled or proposed, such as `policy.windows[0]`. Null if a rule requires the review, or if there is no such setting.",
  )
  @MaxCharacters(POLICY_PATH_MAX_LENGTH)
  @Column({ type: "varchar", length: POLICY_PATH_MAX_LENGTH, nullable: true })
  scheduledBy!: string | null;

  @ThirdPartyText()
  @Nullable(
    () => String,
    "Text as proposed by the agent, before any edits by a person. Null if the message was not proposed.",
  )
  @MaxCharacters(MESSAGE_TEXT_MAX_LENGTH)
  @Column({ type: "text", nullable: true })
  proposedText!: string | null;

  @NullableTime(
    "When a person approved or discarded the proposed message, or null if it has not been reviewed.",
  )
  reviewedAt!: Timestamp | null;

  /** When the contact started waiting for this answer from a human; null if the contact was not waiting. */
  @Column({ type: "varchar", length: 24, nullable: true })
  waitedSince!: Timestamp | null;

  /** ID of the contact whose caps the message counts toward; null if there is none. */
  @Column({ type: "varchar", length: 36, nullable: true })
  cappedContactId!: string | null;

  @Nullable(
    () => String,
    "Topic in the agent's policy that the message is about, or null if there is none. A message about a topic is sent only if the contact consents to the topic.",
  )
  @MaxCharacters(TOPIC_MAX_LENGTH)
  @Column({ type: "varchar", length: TOPIC_MAX_LENGTH, nullable: true })
  topic!: string | null;

  @Field(() => Boolean, {
    description:
      "True if the message bypasses windows and caps, and is sent before other messages held back by the line's rate limit.",
  })
  @Column({ type: "boolean", default: false })
  isUrgent!: boolean;

  @Nullable(() => MessageError, "Reason why the message was canceled or failed.")
  @Column({ type: "varchar", length: 32, nullable: true })
  errorCode!: MessageError | null;

  @ThirdPartyText()
  @Nullable(
    () => String,
    "Human-readable error message from the last attempt, or the reason for discarding the proposed message. Null if there is none.",
  )
  @MaxCharacters(ERROR_TEXT_MAX_LENGTH)
  @Column({ type: "varchar", length: ERROR_TEXT_MAX_LENGTH, nullable: true })
  errorText!: string | null;

  @ThirdPartyText()
  @Nullable(
    () => String,
    "Human-readable description of the parts of an inbound message that were not stored, or null if all were stored.",
  )
  @MaxCharacters(OMITTED_MAX_LENGTH)
  @Column({ type: "varchar", length: OMITTED_MAX_LENGTH, nullable: true })
  omitted!: string | null;

  @ThirdPartyText()
  @Nullable(() => String, "Message ID assigned by the system that the line connects to.")
  @Column({ type: "varchar", length: PROVIDER_ID_MAX_LENGTH, nullable: true })
  providerId!: string | null;

  @NullableId("ID of the new message if this failed message was resent, otherwise null.")
  resentAs!: string | null;

  @NullableTime(
    "When the message fails if it has not been sent by then. Null for inbound messages and messages queued by earlier versions of the gateway.",
  )
  expiresAt!: Timestamp | null;

  @NullableTime("When the message was sent or, for an inbound message, when the contact wrote it.")
  sentAt!: Timestamp | null;

  @NullableTime("When the message was delivered.")
  deliveredAt!: Timestamp | null;

  @NullableTime("When the contact read the message.")
  readAt!: Timestamp | null;

  @NullableTime("When the delivery status last changed, or null if it has not changed yet.")
  updatedAt!: Timestamp | null;
}
