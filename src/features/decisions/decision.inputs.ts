import { ArgsType, Field, GraphQLISODateTime, ID, InputType, Int } from "type-graphql";
import { IsBetween } from "../../common/range";
import { IsOptional, ValidateNested } from "../../common/validators";
import { PageArgs } from "../../pagination/connection";
import { ForMembers } from "../../schema/for-members";
import { IdempotentInput } from "../../schema/idempotent.input";
import { GraphQLJsonObject, IsJsonObject } from "../../schema/json-object";
import { IsText } from "../../schema/text";
import { SITUATION_MAX_BYTES, SITUATION_TYPE_MAX_LENGTH } from "../configuration/configuration.limits";
import { ContactReference } from "../conversations/conversation.inputs";
import { DecisionOutcome } from "./decision.entity";
import { MAX_REPLAYED, ReplayAgainst } from "./replay";

/** Number of decisions to replay when the client omits `first`. */
const DEFAULT_REPLAYED = 100;

const AGENT_ID = {
  nullable: true,
  description:
    "ID of the agent. Required for members; not allowed with an API key, which belongs to one agent.",
};

@InputType({
  description: "Something that happened, such as an order being shipped; the agent decides how to handle it.",
})
export class SituationInput {
  @Field(() => String, {
    description:
      "Type of the situation, such as `order.shipped`: a-z, 0-9 and single `.`, `_` or `-` between them.",
  })
  @IsText(SITUATION_TYPE_MAX_LENGTH, { singleLine: true })
  type!: string;

  @Field(() => GraphQLJsonObject, {
    description: "Data as declared in the configuration, at most 32 KiB of JSON and 10 levels deep.",
  })
  @IsJsonObject(SITUATION_MAX_BYTES)
  data!: Record<string, unknown>;
}

@InputType({ description: "A situation to submit to an agent." })
export class DecideInput extends IdempotentInput {
  @Field(() => ID, AGENT_ID)
  @ForMembers()
  agentId?: string | null | undefined;

  @Field(() => SituationInput, { description: "The situation." })
  @ValidateNested()
  situation!: SituationInput;

  @Field(() => ContactReference, {
    nullable: true,
    description: "The contact that the situation is about; created if the `ref` or address is new.",
  })
  @IsOptional()
  @ValidateNested()
  contact?: ContactReference | null | undefined;

  @Field(() => ID, {
    nullable: true,
    description:
      "ID of the conversation that the situation is about. If omitted, the open conversation with the contact on the default line is used.",
  })
  conversationId?: string | null | undefined;

  @Field(() => Boolean, {
    nullable: true,
    description: "True to return what the agent would do; nothing is stored or sent.",
  })
  dryRun?: boolean | null | undefined;
}

@ArgsType()
export class DecisionsArgs extends PageArgs {
  @Field(() => ID, AGENT_ID)
  agentId?: string | null | undefined;

  @Field(() => ID, {
    nullable: true,
    description: "Only decisions about the conversation with this ID.",
  })
  @IsOptional()
  conversationId?: string | null | undefined;

  @Field(() => ID, { nullable: true, description: "Only decisions about the contact with this ID." })
  @IsOptional()
  contactId?: string | null | undefined;

  @Field(() => DecisionOutcome, { nullable: true, description: "Only decisions with this outcome." })
  @IsOptional()
  outcome?: DecisionOutcome | null | undefined;

  @Field(() => Boolean, {
    nullable: true,
    description: "Only decisions with failed effects if true, without any if false.",
  })
  @IsOptional()
  hasFailures?: boolean | null | undefined;
}

@ArgsType()
export class ReplayDecisionsArgs {
  @Field(() => ID, AGENT_ID)
  agentId?: string | null | undefined;

  @Field(() => ReplayAgainst, { description: "The configuration to use for the decision." })
  @ValidateNested()
  against!: ReplayAgainst;

  @Field(() => GraphQLISODateTime, { nullable: true, description: "Only decisions at or after this time." })
  @IsOptional()
  since?: Date | null | undefined;

  @Field(() => GraphQLISODateTime, { nullable: true, description: "Only decisions before this time." })
  @IsOptional()
  until?: Date | null | undefined;

  @Field(() => Int, {
    description: `Max decisions to replay, 1 to ${MAX_REPLAYED}; the most recent ones are replayed first.`,
  })
  @IsBetween(1, MAX_REPLAYED)
  first: number = DEFAULT_REPLAYED;
}
