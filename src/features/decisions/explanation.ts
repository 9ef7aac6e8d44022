// All types of an explanation are in one file, because they form a single tree.

import { Field, GraphQLISODateTime, ID, Int, ObjectType } from "type-graphql";
import { enumOf } from "../../common/declared-enum";
import { JsonSchema } from "../../common/json-schema";
import { LOCALE_MAX_LENGTH } from "../../common/locales";
import { Nullable } from "../../common/nullable";
import type { Timestamp } from "../../common/time";
import { GraphQLJson } from "../../schema/json";
import { GraphQLJsonObject } from "../../schema/json-object";
import { AtMost, MaxCharacters, type Size } from "../../schema/list-size";
import { ThirdPartyText } from "../../schema/third-party-text";
import {
  CLAUSE_MAX_LENGTH,
  DOCUMENT_MAX_BYTES,
  HANDOFF_REASON_MAX_LENGTH,
  MAX_CLAUSES,
  MAX_EFFECTS,
  MAX_EFFECTS_PER_DECISION,
  MAX_HTML_PER_DECISION,
  MAX_LINES_OF_MESSAGE,
  MAX_MESSAGES_PER_DECISION,
  MAX_READS,
  MAX_RULES,
  NAME_MAX_LENGTH,
  READ_MAX_LENGTH,
  SITUATION_MAX_BYTES,
  SITUATION_TYPE_MAX_LENGTH,
  TIMER_KEY_MAX_LENGTH,
} from "../configuration/configuration.limits";
import type { Effect } from "../configuration/document/effect";
import { MAX_TAGS } from "../contacts/contact.limits";
import { SUBJECT_MAX_LENGTH } from "../lines/line.limits";
import { MESSAGE_HTML_MAX_LENGTH, MESSAGE_TEXT_MAX_LENGTH } from "../messages/message.limits";
import { MessageGate } from "../messages/message-gate";

/** Assumed number of rules; a configuration has at most 200, but a decision rarely tries that many. */
const ASSUMED_RULES = 25;
/** Assumed number of clauses per rule (max 20); all rules' clauses must fit into a document of 256 KiB. */
const ASSUMED_CLAUSES = 4;
/** Assumed number of values read by a clause; all clauses of a decision read at most 1,000. */
const ASSUMED_READS = 3;

/** Max listed effects, including the failed effects of the last rule or `otherwise` beyond the limit. */
const MAX_LISTED_EFFECTS = MAX_EFFECTS_PER_DECISION + MAX_EFFECTS;
/** Assumed number of effects; most decisions have the effects of one rule. */
const ASSUMED_EFFECTS = MAX_EFFECTS;

/** Max length of an error message. */
export const ERROR_MESSAGE_MAX_LENGTH = 500;

/** Max displayed length of a model's name. */
export const MODEL_NAME_MAX_LENGTH = 200;

/** Max size of an explanation, limited by the document's size and the number of values read. */
export const EXPLANATION_MAX: Size = {
  values: 3 * MAX_READS,
  characters:
    DOCUMENT_MAX_BYTES +
    MAX_READS * (READ_MAX_LENGTH + 300) +
    MAX_MESSAGES_PER_DECISION * MESSAGE_TEXT_MAX_LENGTH +
    MAX_HTML_PER_DECISION +
    MESSAGE_HTML_MAX_LENGTH +
    MAX_LISTED_EFFECTS * TIMER_KEY_MAX_LENGTH,
};

@ObjectType({ description: "An error in a decision's explanation." })
export class ExplanationError {
  @Field(() => String, {
    description:
      "Error code, such as `too_expensive` or `not_deliverable`. It is not an enum, because later versions may add codes.",
  })
  @MaxCharacters(NAME_MAX_LENGTH)
  code!: string;

  @Field(() => String, { description: "Human-readable error message." })
  @MaxCharacters(ERROR_MESSAGE_MAX_LENGTH)
  message!: string;
}

@ObjectType({ description: "A value that a condition read." })
export class ReadValue {
  @Field(() => String, { description: "Path of the value, such as `situation.data.total`." })
  @MaxCharacters(CLAUSE_MAX_LENGTH)
  path!: string;

  @ThirdPartyText()
  @Nullable(() => GraphQLJson, "The value. Also null if it is an object or a list that is too large to show.")
  @MaxCharacters(READ_MAX_LENGTH)
  value!: unknown;

  @Nullable(() => Boolean, "True if the value was shortened.")
  isCut?: true;
}

@ObjectType({ description: "A condition of a rule, with its result." })
export class ClauseExplanation {
  @Field(() => String, { description: "The condition, in CEL." })
  @MaxCharacters(CLAUSE_MAX_LENGTH)
  source!: string;

  @Nullable(
    () => Boolean,
    "True if the condition is met, or null if its evaluation failed, which is treated as false.",
  )
  value!: boolean | null;

  @Nullable(() => ExplanationError, "Error of the evaluation, or null if it succeeded.")
  error!: ExplanationError | null;

  @Field(() => [ReadValue], { description: "The values that the condition read, in order." })
  @JsonSchema({ maxItems: MAX_READS })
  @AtMost(ASSUMED_READS)
  read!: ReadValue[];
}

@ObjectType({ description: "A rule that was tried." })
export class RuleExplanation {
  @Field(() => String, { description: "ID of the rule in the configuration." })
  @MaxCharacters(NAME_MAX_LENGTH)
  ruleId!: string;

  @Field(() => Boolean, { description: "True if the rule matched." })
  matched!: boolean;

  @Nullable(() => Boolean, "True if the conditions are met, but the rule has matched too recently (`once`).")
  spent?: true;

  @Field(() => [ClauseExplanation], {
    description: "The rule's conditions, in order, up to the first one that is not met.",
  })
  @JsonSchema({ maxItems: MAX_CLAUSES })
  @AtMost(ASSUMED_CLAUSES)
  clauses!: ClauseExplanation[];
}

const EffectKind = enumOf<Effect["kind"]>("EffectKind", "Kind of effect.", {
  send: "Sends a message, or resends a failed one.",
  addTags: "Adds tags to the contact.",
  removeTags: "Removes tags from the contact.",
  move: "Moves the conversation to another line.",
  handoff: "Hands off the conversation to a human.",
  close: "Closes the conversation.",
  ask: "Asks a model for an answer.",
  later: "Sets a timer that submits a situation to the agent later.",
  cancelTimer: "Cancels a timer.",
});

export type EffectStatus = "done" | "failed" | "unchanged" | "skipped";

const EffectStatus = enumOf<EffectStatus>("EffectStatus", "Result of an effect.", {
  done: "The effect was applied.",
  failed: "The effect failed. See `error`.",
  unchanged: "There was nothing to change.",
  skipped: "The effect was not applied, for example because a gate held it back.",
});

const HandoffScope = enumOf<"contact">("HandoffScope", "Conversations affected by a handoff.", {
  contact: "All conversations with the contact, including new ones, until they are released.",
});

export type GateName = "declared" | "handler" | "loop" | "organization" | "contact" | "open" | "unchanged";

export const GateName = enumOf<GateName>("GateName", "A condition for applying a decision's effects.", {
  declared:
    "The configuration declares the type of the situation. Otherwise, only rules for all types are tried.",
  handler:
    "Neither the conversation nor the contact is handed off to a human. Otherwise, only rules with `whileHuman` have effects.",
  loop: "The sender's address received fewer than five automatic answers in the last hour. Otherwise, nothing is sent.",
  organization: "The organization was not deactivated while the decision was being made.",
  contact: "The contact was not erased while the decision was being made.",
  open: "The conversation was not closed while the decision was being made.",
  unchanged: "The conversation did not change while the decision was being made.",
});

@ObjectType({ description: "A line that cannot reach a contact." })
export class LineObstacle {
  @Field(() => String, { description: "Name of the line." })
  @MaxCharacters(NAME_MAX_LENGTH)
  line!: string;

  @Field(() => ExplanationError, { description: "Error that would make a message on the line fail." })
  error!: ExplanationError;
}

@ObjectType({ description: "A timer that an effect sets or cancels." })
export class TimerExplanation {
  @Nullable(() => ID, "ID of the timer, or null if there is none, as in a dry run.")
  timerId!: string | null;

  @ThirdPartyText()
  @Nullable(() => String, "Name of the timer, or null if it could not be determined.")
  @MaxCharacters(TIMER_KEY_MAX_LENGTH)
  key!: string | null;

  @Nullable(() => String, "Type of the situation, for `later`.")
  @MaxCharacters(SITUATION_TYPE_MAX_LENGTH)
  situationType?: string;

  @ThirdPartyText()
  @Nullable(() => GraphQLJsonObject, "Situation data, for `later`.")
  @MaxCharacters(SITUATION_MAX_BYTES)
  data?: Readonly<Record<string, unknown>>;

  @Nullable(() => GraphQLISODateTime, "When the timer is due, for `later`.")
  dueAt?: Timestamp | null;
}

@ObjectType({ description: "An effect of a decision, with its result." })
export class EffectExplanation {
  @Field(() => EffectKind, { description: "Kind of the effect." })
  kind!: Effect["kind"];

  @Nullable(() => String, "ID of the rule that the effect belongs to, or null for an effect of `otherwise`.")
  @MaxCharacters(NAME_MAX_LENGTH)
  ruleId!: string | null;

  @Field(() => EffectStatus, { description: "Result of the effect." })
  status!: EffectStatus;

  @Nullable(
    () => ExplanationError,
    "Error that caused the effect to fail or be skipped, or null if there was none.",
  )
  error!: ExplanationError | null;

  @Nullable(
    () => ID,
    "ID of the message queued by `send`, or null in a dry run and for other kinds of effects.",
  )
  messageId!: string | null;

  @Nullable(() => String, "Name of the template, for `send` and `ask`.")
  @MaxCharacters(NAME_MAX_LENGTH)
  template!: string | null;

  @ThirdPartyText()
  @Nullable(() => String, "Text of the message, for `send`.")
  @MaxCharacters(MESSAGE_TEXT_MAX_LENGTH)
  text!: string | null;

  @Nullable(
    () => String,
    "Language tag of the template translation that was used, or null if the template's default text was used.",
  )
  @MaxCharacters(LOCALE_MAX_LENGTH)
  locale?: string;

  @ThirdPartyText()
  @Nullable(() => String, "Subject of an e-mail that starts a conversation, or null for the line's subject.")
  @MaxCharacters(SUBJECT_MAX_LENGTH)
  subject?: string;

  @ThirdPartyText()
  @Nullable(() => String, "The text as HTML, for an e-mail, or null if there is none.")
  @MaxCharacters(MESSAGE_HTML_MAX_LENGTH)
  html?: string;

  @Nullable(() => ID, "ID of the failed message that `resend` resends, or null for other effects.")
  resendOf?: string;

  @Nullable(() => Int, "For `send`, the delay before the message is sent (s).")
  delaySeconds!: number | null;

  @Nullable(() => String, "Topic of the message, for `send` and `ask`, or null if it has none.")
  @MaxCharacters(NAME_MAX_LENGTH)
  topic?: string | undefined;

  @Nullable(() => Boolean, "For `send`, true if the message bypasses windows and caps.")
  isUrgent?: true | undefined;

  @Nullable(
    () => MessageGate,
    "For `send`, the gate that keeps the message from being queued immediately, or null if there is none. Before the message is sent, caps are checked and windows are rechecked.",
  )
  gate?: MessageGate;

  @Nullable(() => String, "Name of the line, for `send` and `move`.")
  @MaxCharacters(NAME_MAX_LENGTH)
  line!: string | null;

  @Nullable(
    () => [LineObstacle],
    "Lines in the effect's list that were skipped because they cannot reach the contact, or null if the effect has no list.",
  )
  @AtMost(MAX_LINES_OF_MESSAGE)
  obstacles?: LineObstacle[];

  @Nullable(() => [String], "The tags, for `addTags` and `removeTags`.")
  @AtMost(MAX_TAGS)
  tags!: readonly string[] | null;

  @Nullable(() => String, "Reason for the handoff to a human, for `handoff`.")
  @MaxCharacters(HANDOFF_REASON_MAX_LENGTH)
  reason!: string | null;

  @Nullable(
    () => HandoffScope,
    "The conversations that `handoff` hands off, or null for the current conversation.",
  )
  scope?: "contact" | undefined;

  @Nullable(() => TimerExplanation, "The timer, for `later` and `cancelTimer`.")
  timer?: TimerExplanation;
}

@ObjectType({
  description: "A condition that must be met for a decision's effects to be applied.",
})
export class GateExplanation {
  @Field(() => GateName, { description: "Name of the condition." })
  name!: GateName;

  @Field(() => Boolean, { description: "True if the condition was met." })
  passed!: boolean;

  @Nullable(
    () => String,
    "For the gate `declared`, the declared situation type with the most similar name, or null if none is similar.",
  )
  @MaxCharacters(SITUATION_TYPE_MAX_LENGTH)
  nearest?: string | null;
}

@ObjectType({
  description: "A request to a model, with its duration and token counts.",
})
export class ModelRequest {
  @Field(() => String, { description: "Name of the model." })
  @MaxCharacters(MODEL_NAME_MAX_LENGTH)
  name!: string;

  @Field(() => Int, {
    description: "Duration of the request, including any second attempt (ms).",
  })
  durationMs!: number;

  @Nullable(
    () => Int,
    "Number of input tokens, or null if the request failed or the model server does not report it.",
  )
  inputTokens!: number | null;

  @Nullable(
    () => Int,
    "Number of output tokens, or null if the request failed or the model server does not report it.",
  )
  outputTokens!: number | null;
}

@ObjectType({ description: "Explanation of an agent's decision." })
export class Explanation {
  @Nullable(() => Int, "Version of the configuration, or null for a draft or document.")
  version!: number | null;

  @Field(() => GraphQLISODateTime, { description: "The time used in conditions and templates." })
  now!: Timestamp;

  @Field(() => [GateExplanation], {
    description: "Conditions that must be met for the effects to be applied.",
  })
  @AtMost(4)
  gates!: GateExplanation[];

  @Nullable(() => ExplanationError, "Error that prevented the decision, or null if the decision was made.")
  error?: ExplanationError | null;

  @Nullable(() => ModelRequest, "The request to the model, or null if none was made.")
  model?: ModelRequest;

  @Field(() => [RuleExplanation], { description: "The rules that were tried, in order." })
  @JsonSchema({ maxItems: MAX_RULES })
  @AtMost(ASSUMED_RULES)
  rules!: RuleExplanation[];

  @Field(() => [EffectExplanation], { description: "The effects, in order." })
  @JsonSchema({ maxItems: MAX_LISTED_EFFECTS })
  @AtMost(ASSUMED_EFFECTS)
  effects!: EffectExplanation[];
}
