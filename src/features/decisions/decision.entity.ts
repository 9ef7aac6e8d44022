import { Field, ID, Int, ObjectType } from "type-graphql";
import { Column, Entity, Index, ManyToOne, PrimaryColumn } from "typeorm";
import { enumOf } from "../../common/declared-enum";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { isUuid, Uuid } from "../../common/uuid";
import { UUID_COLUMN } from "../../database/columns";
import type { StoredJson } from "../../database/stored-json";
import { ConnectionOf } from "../../pagination/connection";
import { IdColumn, NullableTime, TimeColumn } from "../../schema/columns";
import { GraphQLJsonObject } from "../../schema/json-object";
import { MaxCharacters } from "../../schema/list-size";
import { ThirdPartyText } from "../../schema/third-party-text";
import { Agent } from "../agents/agent.entity";
import {
  NAME_MAX_LENGTH,
  SITUATION_KEY_MAX_LENGTH,
  SITUATION_MAX_BYTES,
  SITUATION_TYPE_MAX_LENGTH,
} from "../configuration/configuration.limits";
import { DeciderKind } from "../configuration/decider";
import type { CompiledConfiguration } from "../configuration/document/compiled-configuration";
import type { Effect } from "../configuration/document/effect";
import type { ModelRequestState, Snapshot } from "./decision-record";
import type { Explanation } from "./explanation";
import { STORED_EXPLANATION } from "./explanation-json";

/** Lane kind for background decisions; a lane has the ID of its decision. */
export const DECISION_LANE = "decision";

export const DecisionState = enumOf("DecisionState", "State of a decision.", {
  deciding: "The agent is still deciding.",
  decided: "The decision was made, and its effects are stored.",
  failed: "The decision failed, and no effects were applied.",
});
export type DecisionState = keyof typeof DecisionState;

export const DecisionOutcome = enumOf("DecisionOutcome", "Outcome of a decision.", {
  send: "Messages were queued.",
  silent: "No message was queued.",
  handoff: "The conversation was handed off to a human.",
  stale:
    "The contact, conversation or organization changed before the decision was made, so no effects were applied.",
  failed: "At least one effect failed, and none was applied.",
});
export type DecisionOutcome = keyof typeof DecisionOutcome;

@ObjectType({
  description: "Something that happened, such as an order being shipped. The agent decides how to handle it.",
})
export class Situation {
  @Field(() => String, { description: "Type of the situation, such as `order.shipped`." })
  @MaxCharacters(SITUATION_TYPE_MAX_LENGTH)
  type!: string;

  @ThirdPartyText()
  @Field(() => GraphQLJsonObject, {
    description: "Situation data. Empty after the contact has been erased.",
  })
  @MaxCharacters(SITUATION_MAX_BYTES)
  data!: Record<string, unknown>;
}

/** SQL condition for decisions that failed or have failed effects; a partial index has the same condition. */
export const HAS_FAILURES = "failed_effects > 0 OR state = 'failed'";

@ObjectType({
  description: "An agent's decision in a situation, with the reasons. A finished decision never changes.",
})
@Entity()
// Covers these filters, so that finding rare rows does not require reading the rows in between.
@Index(["agentId", "id", "situationType", "ruleId", "outcome", "configurationVersion"])
@Index(["conversationId", "id"])
@Index(["contactId", "id"])
@Index(["createdAt"])
@Index("decision_deciding", ["conversationId"], { where: "state = 'deciding'" })
@Index("decision_keys", ["agentId", "situationKey", "id"], { where: "situation_key IS NOT NULL" })
@Index("decision_failures", ["agentId", "id"], { where: HAS_FAILURES })
export class Decision {
  @Nullable(() => ID, "Unique identifier (UUID, ordered by creation time), or null for a dry run.")
  @Uuid
  @PrimaryColumn(UUID_COLUMN)
  id!: string;

  @IdColumn("ID of the agent that made the decision.")
  agentId!: string;

  @ManyToOne(() => Agent)
  agent?: Agent;

  @Nullable(() => ID, "ID of the contact, or null if the decision is not about a contact.")
  @Uuid
  @Column({ ...UUID_COLUMN, nullable: true })
  contactId!: string | null;

  @Nullable(() => ID, "ID of the conversation, or null if the decision is not about a conversation.")
  @Uuid
  @Column({ ...UUID_COLUMN, nullable: true })
  conversationId!: string | null;

  @Field(() => Situation, { description: "The situation." })
  @Column({ type: "simple-json" })
  situation!: Situation;

  @Column({ type: "varchar", length: SITUATION_TYPE_MAX_LENGTH })
  situationType!: string;

  @ThirdPartyText()
  @Nullable(
    () => String,
    "Key of the situation, taken from the data member that the configuration declares as `key`. Null if the configuration declares no key or the contact was erased.",
  )
  @MaxCharacters(SITUATION_KEY_MAX_LENGTH)
  @Column({ type: "varchar", length: SITUATION_KEY_MAX_LENGTH, nullable: true })
  situationKey!: string | null;

  @Nullable(() => ID, "ID of the timer that submitted the situation, or null if none did.")
  @Uuid
  @Column({ ...UUID_COLUMN, nullable: true })
  timerId!: string | null;

  /** All of the decision's inputs other than the situation; null once its contact is erased. */
  @Column({ type: "simple-json", nullable: true })
  snapshot!: Snapshot | null;

  @Nullable(
    () => Int,
    "Configuration version used for the decision, or null for a dry run of a draft or document.",
  )
  @Column({ type: "integer" })
  configurationVersion!: number;

  @Field(() => DeciderKind, { description: "Kind of decider that made the decision." })
  @Column({ type: "varchar", length: 8 })
  decider!: DeciderKind;

  @Field(() => DecisionState, { description: "State of the decision." })
  @Column({ type: "varchar", length: 8 })
  state!: DecisionState;

  @Nullable(() => DecisionOutcome, "Outcome of the decision, or null until the decision is made.")
  @Column({ type: "varchar", length: 8, nullable: true })
  outcome!: DecisionOutcome | null;

  @Nullable(
    () => String,
    "ID of the rule that decided, even if a gate held back its effects, or null if no rule decided.",
  )
  @Column({ type: "varchar", length: NAME_MAX_LENGTH, nullable: true })
  ruleId!: string | null;

  @Field(() => Int, { description: "Number of effects that failed." })
  @Column({ type: "integer", default: 0 })
  failedEffects!: number;

  /** The effects chosen by the rules and by any model's answer, whether or not they succeeded. */
  @Column({ type: "simple-json" })
  effects!: Effect[];

  /** The state when the model was called; null unless a model decides. */
  @Column({ type: "simple-json", nullable: true })
  basis!: ModelRequestState | null;

  @Column({ type: "text", nullable: true, transformer: STORED_EXPLANATION })
  explanation!: StoredJson<Explanation> | null;

  @TimeColumn("When the decision was requested.")
  createdAt!: Timestamp;

  @NullableTime("When the decision was made, or null until then.")
  decidedAt!: Timestamp | null;

  /** The configuration to use for a dry run. */
  tried?: CompiledConfiguration | undefined;
}

export const DecisionConnection = ConnectionOf(Decision, "decision", isUuid);
export type DecisionConnection = InstanceType<typeof DecisionConnection>;
