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
}

registerEnumType(MessageStatus, {
  name: "MessageStatus",
  description: "Delivery status of a message.",
  valuesConfig: { queued: { description: "Accepted and stored, but not sent yet." } },
});

/** In code points. */
export const MESSAGE_TEXT_MAX_LENGTH = 10_000;

@ObjectType({
  simpleResolvers: true,
  description: "A message queued for an agent. Only that agent can read it.",
})
@Entity()
@Index(["agentId", "id"])
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
}
