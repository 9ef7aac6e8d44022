import { Field, ID, Int, ObjectType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import { enumOf } from "../../common/declared-enum";
import type { Timestamp } from "../../common/time";
import { Uuid } from "../../common/uuid";
import { IdColumn, NullableId, NullableTime, TimeColumn } from "../../schema/columns";
import { Agent } from "../agents/agent.entity";
import { Contact } from "../contacts/contact.entity";
import { Line } from "../lines/line.entity";

export const ConversationState = enumOf("ConversationState", "State of a conversation.", {
  open: "Messages can be sent.",
  closed: "Closed. Further messages require a new conversation.",
});
export type ConversationState = keyof typeof ConversationState;

export const Handler = enumOf("Handler", "The party that answers in a conversation.", {
  agent: "The agent.",
  human: "A human. Until the conversation is released, the agent applies only rules with `whileHuman`.",
});
export type Handler = keyof typeof Handler;

@ObjectType({
  description: "A conversation between an agent and a contact on a line.",
})
@Entity()
@Index(["agentId", "id"])
@Index(["agentId", "state", "id"])
@Index("conversation_activity", ["agentId", "state", "updatedAt", "id"])
@Index(["contactId", "id"])
@Index("conversation_human", ["agentId", "humanAt"], { where: "handler = 'human' AND state = 'open'" })
@Index("conversation_waiting", ["agentId", "waitingSince", "id"], { where: "waiting_since IS NOT NULL" })
@Index("conversation_assigned", ["assigneeId", "agentId", "updatedAt", "id"], {
  where: "assignee_id IS NOT NULL",
})
@Index("conversation_open", ["lineId", "addressId"], { unique: true, where: "state = 'open'" })
export class Conversation {
  @Field(() => ID, { description: "Unique identifier (UUID, ordered by creation time)." })
  @Uuid
  @PrimaryColumn({ type: "varchar", length: 36 })
  id!: string;

  @IdColumn("ID of the conversation's agent.")
  agentId!: string;

  @ManyToOne(() => Agent)
  agent?: Agent;

  @IdColumn("ID of the contact.")
  contactId!: string;

  @ManyToOne(() => Contact)
  contact?: Contact;

  /** ID of the contact's address on the line; the address may have been deleted since. */
  @Column({ type: "varchar", length: 36 })
  addressId!: string;

  @Column({ type: "varchar", length: 36 })
  lineId!: string;

  @ManyToOne(() => Line, { createForeignKeyConstraints: false })
  line?: Line;

  @Field(() => ConversationState, { description: "State of the conversation." })
  @Column({ type: "varchar", length: 8 })
  state!: ConversationState;

  @Field(() => Handler, { description: "The party that answers in the conversation." })
  @Column({ type: "varchar", length: 8 })
  handler!: Handler;

  /** The time when a human last took over or answered; null while the agent answers. */
  @Column({ type: "varchar", length: 24, nullable: true })
  humanAt!: Timestamp | null;

  @NullableTime(
    "When the contact started waiting for a human: the time of the handoff or, once a human has answered, of the contact's next message. Null if no reply is needed.",
  )
  waitingSince!: Timestamp | null;

  @NullableId("ID of the member assigned to the conversation, or null if unassigned.")
  assigneeId!: string | null;

  @Field(() => Int, {
    description: "Version number, incremented by every move, handoff, release and closure.",
  })
  @Column({ type: "integer" })
  version!: number;

  @Field(() => Int, {
    description: "Sequence number of the last message in the conversation, or 0 if there is none.",
  })
  @Column({ type: "integer" })
  lastSequence!: number;

  @TimeColumn("When the conversation was opened.")
  createdAt!: Timestamp;

  @TimeColumn("When the conversation last changed or a message was last added.")
  updatedAt!: Timestamp;
}
