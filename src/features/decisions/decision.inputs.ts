import { ArgsType, Field, GraphQLISODateTime, ID, InputType, Int } from "type-graphql";
import { Checked } from "../../common/checked";
import { Nullable, Optional } from "../../common/nullable";
import { IsBetween } from "../../common/range";
import { LAST_MOMENT_MS } from "../../common/time";
import { ValidateNested } from "../../common/validators";
import { PageArgs } from "../../pagination/connection";
import { ForMembers } from "../../schema/for-members";
import { IdempotentInput } from "../../schema/idempotent.input";
import { GraphQLJsonObject, IsJsonObject } from "../../schema/json-object";
import { type ObjectRule, Rule } from "../../schema/object-rule";
import { IsText } from "../../schema/text";
import { SCOPED_AGENT_ID, SCOPED_AGENT_IDS } from "../agents/agent.inputs";
import {
  NAME_MAX_LENGTH,
  SITUATION_KEY_MAX_LENGTH,
  SITUATION_MAX_BYTES,
  SITUATION_TYPE_MAX_LENGTH,
} from "../configuration/configuration.limits";
import { ATTRIBUTES_MAX_BYTES, TERM_MAX_LENGTH } from "../contacts/contact.limits";
import { IsLocale, IsTimeZone } from "../contacts/put-contact.inputs";
import { AreTags } from "../contacts/tags";
import { ContactReference } from "../conversations/conversation.inputs";
import { DecisionOutcome } from "./decision.entity";
import { MAX_REPLAYED, ReplayAgainst } from "./replay";

/** Number of decisions to replay when the client omits `first`. */
const DEFAULT_REPLAYED = 100;

@InputType({
  description: "Something that happened, such as an order being shipped. The agent decides how to handle it.",
})
export class SituationInput {
  @Field(() => String, {
    description:
      "Type of the situation, such as `order.shipped`: a-z and 0-9, with single `.`, `_` or `-` between them.",
  })
  @IsText(SITUATION_TYPE_MAX_LENGTH, { singleLine: true })
  type!: string;

  @Field(() => GraphQLJsonObject, {
    description: "Data as declared in the configuration, at most 32 KiB as JSON and 10 levels deep.",
  })
  @IsJsonObject(SITUATION_MAX_BYTES)
  data!: Record<string, unknown>;
}

/** Requires a time that can be stored; the value is a string in REST and a Date in GraphQL. */
const IsMoment = () =>
  Checked("isMoment", (value) => {
    const ms = value instanceof Date ? value.getTime() : Date.parse(String(value));
    return ms < 0 || ms > LAST_MOMENT_MS ? "must be a time from 1970 to 9999" : undefined;
  });

@InputType({ description: "Data to assume about a contact. Null clears a field." })
export class AssumedContact {
  @Optional(() => [String], "All tags.")
  @AreTags()
  tags?: string[] | null | undefined;

  @Optional(() => GraphQLJsonObject, "All attributes.")
  @IsJsonObject(ATTRIBUTES_MAX_BYTES)
  attributes?: Record<string, unknown> | null | undefined;

  @Optional(() => String, "Language as a BCP 47 tag.")
  @IsLocale()
  locale?: string | null | undefined;

  @Optional(() => String, "IANA time zone.")
  @IsTimeZone()
  timezone?: string | null | undefined;
}

@InputType({ description: "Assumptions for a dry run. Omitted fields keep their actual values." })
export class Assumptions {
  @Optional(() => GraphQLISODateTime, "The current time.")
  @IsMoment()
  now?: Date | null | undefined;

  @Optional(() => AssumedContact, "The contact's data.")
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
  @Field(() => ID, SCOPED_AGENT_ID)
  @ForMembers()
  agentId?: string | null | undefined;

  @Field(() => SituationInput, { description: "The situation." })
  @ValidateNested()
  situation!: SituationInput;

  @Optional(
    () => ContactReference,
    "The contact that the situation is about. Created if the `ref` or address is new.",
  )
  @ValidateNested()
  contact?: ContactReference | null | undefined;

  @Nullable(
    () => ID,
    "ID of the conversation that the situation is about. Defaults to the contact's open conversation on the default line.",
  )
  conversationId?: string | null | undefined;

  @Field(() => Boolean, {
    defaultValue: false,
    description: "True to return what the agent would do, without storing or sending anything.",
  })
  dryRun!: boolean;

  @Optional(() => ReplayAgainst, "Configuration for a dry run. Defaults to the live one.")
  @ValidateNested()
  against?: ReplayAgainst | null | undefined;

  @Optional(() => Assumptions, "Assumptions for the dry run.")
  @ValidateNested()
  as?: Assumptions | null | undefined;
}

@ArgsType()
export class DecisionsArgs extends PageArgs {
  @Field(() => ID, SCOPED_AGENT_IDS)
  agentId?: string | null | undefined;

  @Optional(() => String, "Only decisions about situations with this key.")
  @IsText(SITUATION_KEY_MAX_LENGTH)
  key?: string | null | undefined;

  @Optional(() => String, "Only decisions about situations of this type.")
  @IsText(SITUATION_TYPE_MAX_LENGTH)
  type?: string | null | undefined;

  @Optional(() => String, "Only decisions by this rule.")
  @IsText(NAME_MAX_LENGTH)
  ruleId?: string | null | undefined;

  @Optional(() => ID, "Only decisions about the conversation with this ID.")
  conversationId?: string | null | undefined;

  @Optional(() => ID, "Only decisions about the contact with this ID.")
  contactId?: string | null | undefined;

  @Optional(
    () => String,
    "Only decisions about contacts that match this text in the `contacts` query. API keys need the `contacts:read` scope.",
  )
  @IsText(TERM_MAX_LENGTH)
  search?: string | null | undefined;

  @Optional(() => Int, "Only decisions made with this version of the configuration.")
  version?: number | null | undefined;

  @Optional(() => DecisionOutcome, "Only decisions with this outcome.")
  outcome?: DecisionOutcome | null | undefined;

  @Optional(
    () => Boolean,
    "True to list only decisions that failed or have failed effects, false to list all others.",
  )
  hasFailures?: boolean | null | undefined;

  @Optional(() => GraphQLISODateTime, "Only decisions at or after this time.")
  since?: Date | null | undefined;

  @Optional(() => GraphQLISODateTime, "Only decisions before this time.")
  until?: Date | null | undefined;
}

@ArgsType()
export class ReplayDecisionsArgs {
  @Field(() => ID, SCOPED_AGENT_ID)
  agentId?: string | null | undefined;

  @Field(() => ReplayAgainst, { description: "The configuration to replay the decisions with." })
  @ValidateNested()
  against!: ReplayAgainst;

  @Optional(() => GraphQLISODateTime, "Only decisions at or after this time.")
  since?: Date | null | undefined;

  @Optional(() => GraphQLISODateTime, "Only decisions before this time.")
  until?: Date | null | undefined;

  @Field(() => Int, {
    description: `Max decisions to replay, 1 to ${MAX_REPLAYED}, starting with the most recent.`,
  })
  @IsBetween(1, MAX_REPLAYED)
  first: number = DEFAULT_REPLAYED;
}
