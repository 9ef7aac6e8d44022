import { ArgsType, Field, GraphQLISODateTime, ID, InputType, Int } from "type-graphql";
import { Checked } from "../../common/checked";
import { IsBetween } from "../../common/range";
import { LAST_MOMENT_MS } from "../../common/time";
import { IsOptional, ValidateNested } from "../../common/validators";
import { PageArgs } from "../../pagination/connection";
import { ForMembers } from "../../schema/for-members";
import { IdempotentInput } from "../../schema/idempotent.input";
import { GraphQLJsonObject, IsJsonObject } from "../../schema/json-object";
import { type ObjectRule, Rule } from "../../schema/object-rule";
import { IsText } from "../../schema/text";
import {
  NAME_MAX_LENGTH,
  SITUATION_KEY_MAX_LENGTH,
  SITUATION_MAX_BYTES,
  SITUATION_TYPE_MAX_LENGTH,
} from "../configuration/configuration.limits";
import { IsLocale, IsTimeZone } from "../contacts/contact.inputs";
import { ATTRIBUTES_MAX_BYTES } from "../contacts/contact.limits";
import { AreTags } from "../contacts/tags";
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

/** Requires a time that can be stored; REST checks its text, and GraphQL its Date. */
const IsMoment = () =>
  Checked("isMoment", (value) => {
    const ms = value instanceof Date ? value.getTime() : Date.parse(String(value));
    return ms < 0 || ms > LAST_MOMENT_MS ? "must be a time from 1970 to 9999" : undefined;
  });

@InputType({ description: "Data to assume of a contact; null assumes none." })
export class AssumedContact {
  @Field(() => [String], { nullable: true, description: "All tags." })
  @IsOptional()
  @AreTags()
  tags?: string[] | null | undefined;

  @Field(() => GraphQLJsonObject, { nullable: true, description: "All attributes." })
  @IsOptional()
  @IsJsonObject(ATTRIBUTES_MAX_BYTES)
  attributes?: Record<string, unknown> | null | undefined;

  @Field(() => String, { nullable: true, description: "Language as a BCP 47 tag." })
  @IsOptional()
  @IsLocale()
  locale?: string | null | undefined;

  @Field(() => String, { nullable: true, description: "IANA time zone." })
  @IsOptional()
  @IsTimeZone()
  timezone?: string | null | undefined;
}

@InputType({ description: "Assumptions of a dry run. Omitted fields are as they are." })
export class Assumptions {
  @Field(() => GraphQLISODateTime, { nullable: true, description: "The current time." })
  @IsOptional()
  @IsMoment()
  now?: Date | null | undefined;

  @Field(() => AssumedContact, { nullable: true, description: "Data of the contact." })
  @IsOptional()
  @ValidateNested()
  contact?: AssumedContact | null | undefined;
}

const TRIES_IN_DRY_RUN: ObjectRule = {
  fields: ["dryRun", "against", "as"],
  check(input) {
    const path = ["against", "as"].find((name) => input[name] != null);
    return path === undefined || input.dryRun === true ? undefined : { path, message: "requires dryRun" };
  },
};

@InputType({ description: "A situation to submit to an agent." })
@Rule(TRIES_IN_DRY_RUN)
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
    defaultValue: false,
    description: "True to return what the agent would do; nothing is stored or sent.",
  })
  dryRun!: boolean;

  @Field(() => ReplayAgainst, {
    nullable: true,
    description: "Configuration for a dry run; the live one if omitted.",
  })
  @IsOptional()
  @ValidateNested()
  against?: ReplayAgainst | null | undefined;

  @Field(() => Assumptions, { nullable: true, description: "What a dry run assumes." })
  @IsOptional()
  @ValidateNested()
  as?: Assumptions | null | undefined;
}

@ArgsType()
export class DecisionsArgs extends PageArgs {
  @Field(() => ID, AGENT_ID)
  agentId?: string | null | undefined;

  @Field(() => String, { nullable: true, description: "Only situations with this key." })
  @IsOptional()
  @IsText(SITUATION_KEY_MAX_LENGTH)
  key?: string | null | undefined;

  @Field(() => String, {
    nullable: true,
    description: "Only situations of this type.",
  })
  @IsOptional()
  @IsText(SITUATION_TYPE_MAX_LENGTH)
  type?: string | null | undefined;

  @Field(() => String, { nullable: true, description: "Only decisions by this rule." })
  @IsOptional()
  @IsText(NAME_MAX_LENGTH)
  ruleId?: string | null | undefined;

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

  @Field(() => GraphQLISODateTime, { nullable: true, description: "Only decisions at or after this time." })
  @IsOptional()
  since?: Date | null | undefined;

  @Field(() => GraphQLISODateTime, { nullable: true, description: "Only decisions before this time." })
  @IsOptional()
  until?: Date | null | undefined;
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
