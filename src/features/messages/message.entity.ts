import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { Uuid } from "../../common/uuid";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../../database/columns";
import { InsertOrderLock } from "../../database/insert-order-lock";
import { MaxCharacters } from "../../schema/list-size";
import { Agent } from "../agents/agent.entity";

/** Keeps IDs in commit order, because clients page through an agent's messages while others add some. */
export const MESSAGE_ORDER = new InsertOrderLock(2, { authorizesCallers: true });

export enum MessageStatus {
  queued = "queued",
  delivered = "delivered",
  canceled = "canceled",
  failed = "failed",
}

registerEnumType(MessageStatus, {
  name: "MessageStatus",
  description: "Delivery status of a message.",
  valuesConfig: {
    queued: { description: "Accepted and stored, but not sent yet." },
    delivered: { description: "Arrived at the other end of the line." },
    canceled: { description: "Canceled before it was sent." },
    failed: { description: "Given up; `errorCode` says why." },
  },
});

/** Why a queued message waits. */
export enum HeldReason {
  line_paused = "line_paused",
  no_route = "no_route",
  organization_deactivated = "organization_deactivated",
  imported = "imported",
}

registerEnumType(HeldReason, {
  name: "HeldReason",
  description: "Why a queued message waits.",
  valuesConfig: {
    line_paused: { description: "Its line is paused." },
    no_route: { description: "The agent has no default line." },
    organization_deactivated: { description: "The organization is deactivated." },
    imported: {
      description: "It was queued by a version that sent nothing, and waits until an operator releases it.",
    },
  },
});

/** Why a message was canceled or given up. */
export enum MessageError {
  canceled = "canceled",
  expired = "expired",
}

registerEnumType(MessageError, {
  name: "MessageError",
  description: "Why a message was canceled or given up.",
  valuesConfig: {
    canceled: { description: "A caller canceled it." },
    expired: { description: "It could not be sent in time." },
  },
});

/** How long a message without a line may wait until it is sent: 72 hours. */
export const EXPIRE_AFTER_MS = 72 * 60 * 60 * 1000;

/** In code points. */
export const MESSAGE_TEXT_MAX_LENGTH = 10_000;

@ObjectType({
  simpleResolvers: true,
  description: "A message queued for an agent. Only that agent can read it.",
})
@Entity()
@Index(["agentId", "id"])
@Index(["agentId", "status", "id"])
export class Message {
  @Field(() => ID, { description: "Unique identifier (UUID, ordered by time of creation)." })
  @Uuid
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @Column(UUID_COLUMN)
  agentId!: string;

  @ManyToOne(() => Agent)
  agent?: Agent;

  @Field(() => String, { description: "Text of the message." })
  @MaxCharacters(MESSAGE_TEXT_MAX_LENGTH)
  @Column({ type: "text" })
  message!: string;

  @Field(() => MessageStatus, { description: "Delivery status of the message." })
  @Column({ type: "varchar", length: 16 })
  status!: MessageStatus;

  @Field(() => GraphQLISODateTime, { description: "When the message was accepted." })
  @Column(TIMESTAMP_COLUMN)
  createdAt!: Timestamp;

  /** The line that it was sent on. */
  @Column({ type: "varchar", length: 36, nullable: true })
  lineId!: string | null;

  @Field(() => HeldReason, {
    nullable: true,
    description: "Why it waits; null when nothing holds it back.",
  })
  @Column({ type: "varchar", length: 32, nullable: true })
  heldReason!: HeldReason | null;

  @Field(() => MessageError, { nullable: true, description: "Why it was canceled or given up." })
  @Column({ type: "varchar", length: 32, nullable: true })
  errorCode!: MessageError | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: "When it is given up unless it has been sent; null for messages of earlier versions.",
  })
  @Column({ type: "varchar", length: 24, nullable: true })
  expiresAt!: Timestamp | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: "When it was sent." })
  @Column({ type: "varchar", length: 24, nullable: true })
  sentAt!: Timestamp | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: "When it was delivered." })
  @Column({ type: "varchar", length: 24, nullable: true })
  deliveredAt!: Timestamp | null;
}
