import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import type { Timestamp } from "../../common/time";
import { Uuid } from "../../common/uuid";
import { InsertOrderLock } from "../../database/database";
import { MaxCharacters } from "../../schema/list-size";
import { Agent } from "../agents/agent.entity";

/** Clients may follow an agent's messages while others add to them. */
export const MESSAGE_ORDER = new InsertOrderLock(2);

export enum MessageStatus {
  queued = "queued",
}

registerEnumType(MessageStatus, {
  name: "MessageStatus",
  description: "How far a message has come.",
  valuesConfig: { queued: { description: "Accepted and stored, not sent yet." } },
});

/** Longest text of a message, in code points. */
export const MESSAGE_TEXT_MAX = 10_000;

@ObjectType({
  simpleResolvers: true,
  description: "A message handed to an agent. Only the agent that it belongs to can read it.",
})
@Entity()
@Index(["agentId", "id"])
export class Message {
  @Field(() => ID, { description: "Unique identifier (UUID, ordered by time of creation)." })
  @Uuid
  @PrimaryColumn({ type: "varchar", length: 36 })
  id!: string;

  @Column({ type: "varchar", length: 36 })
  agentId!: string;

  @ManyToOne(() => Agent)
  agent?: Agent;

  @Field(() => String, { description: "The text." })
  @MaxCharacters(MESSAGE_TEXT_MAX)
  @Column({ type: "text" })
  message!: string;

  @Field(() => MessageStatus, { description: "How far the message has come." })
  @Column({ type: "varchar", length: 16 })
  status!: MessageStatus;

  @Field(() => GraphQLISODateTime, { description: "When it was accepted." })
  @Column({ type: "varchar", length: 24 })
  createdAt!: Timestamp;
}
