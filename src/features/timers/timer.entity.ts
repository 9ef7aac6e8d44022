import { Field, ID, ObjectType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import { enumOf } from "../../common/declared-enum";
import { JsonSchema } from "../../common/json-schema";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { isUuid, Uuid } from "../../common/uuid";
import { UUID_COLUMN } from "../../database/columns";
import { ConnectionOf } from "../../pagination/connection";
import { IdColumn, TimeColumn } from "../../schema/columns";
import { GraphQLJsonObject } from "../../schema/json-object";
import { AtMost, MaxCharacters } from "../../schema/list-size";
import { ThirdPartyText } from "../../schema/third-party-text";
import { Agent } from "../agents/agent.entity";
import {
  SITUATION_MAX_BYTES,
  SITUATION_TYPE_MAX_LENGTH,
  TIMER_KEY_MAX_LENGTH,
} from "../configuration/configuration.limits";
import type { TimerCanceler as Canceler } from "../configuration/document/effect-format";

const CANCELERS: Readonly<Record<Canceler, string>> = {
  "message.received": "The contact writes a message.",
  handoff: "The conversation is handed off to a human.",
  closed: "The conversation is closed.",
};

const TimerCanceler = enumOf("TimerCanceler", "An event that cancels a timer.", CANCELERS);

@ObjectType({
  description:
    "A situation that is submitted to the agent once, at a later time. A timer exists only while it is waiting.",
})
@Entity()
@Index(["subjectId", "key"], { unique: true })
@Index(["agentId", "id"])
export class Timer {
  @Field(() => ID, { description: "Unique identifier (UUID, ordered by creation time)." })
  @Uuid
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @IdColumn("ID of the agent.")
  agentId!: string;

  @ManyToOne(() => Agent)
  agent?: Agent;

  /** The contact's ID or, if there is no contact, the agent's ID. */
  @Column(UUID_COLUMN)
  subjectId!: string;

  @Nullable(() => ID, "ID of the contact, or null if there is none.")
  @Uuid
  @Column({ ...UUID_COLUMN, nullable: true })
  contactId!: string | null;

  @Nullable(() => ID, "ID of the conversation, or null if there was none when the timer was set.")
  @Uuid
  @Column({ ...UUID_COLUMN, nullable: true })
  conversationId!: string | null;

  /** True if the situation named the conversation; else events in any conversation of the contact cancel the timer. */
  @Column({ type: "boolean" })
  isNamed!: boolean;

  @ThirdPartyText()
  @Field(() => String, { description: "Name of the timer, unique among the waiting timers of the contact." })
  @MaxCharacters(TIMER_KEY_MAX_LENGTH)
  @Column({ type: "varchar", length: TIMER_KEY_MAX_LENGTH })
  key!: string;

  @Field(() => String, { description: "Type of the situation, such as `payment.reminder`." })
  @MaxCharacters(SITUATION_TYPE_MAX_LENGTH)
  @Column({ type: "varchar", length: SITUATION_TYPE_MAX_LENGTH })
  situationType!: string;

  @ThirdPartyText()
  @Field(() => GraphQLJsonObject, { description: "Situation data." })
  @MaxCharacters(SITUATION_MAX_BYTES)
  @Column({ type: "simple-json" })
  data!: Record<string, unknown>;

  @Field(() => [TimerCanceler], { description: "The events that cancel the timer." })
  @AtMost(Object.keys(CANCELERS).length)
  @JsonSchema({ maxLength: SITUATION_TYPE_MAX_LENGTH })
  @Column({ type: "simple-json" })
  unless!: Canceler[];

  @TimeColumn("When the situation is submitted to the agent.")
  dueAt!: Timestamp;

  @IdColumn("ID of the decision that set the timer.")
  decisionId!: string;

  @TimeColumn("When the timer was set.")
  createdAt!: Timestamp;
}

export const TimerConnection = ConnectionOf(Timer, "timer", isUuid);
export type TimerConnection = InstanceType<typeof TimerConnection>;
