import { Field, Int, ObjectType } from "type-graphql";
import { Nullable } from "../../common/nullable";
import { ConnectionOf } from "../../pagination/connection";
import { GraphQLJsonObject } from "../../schema/json-object";
import { AtMost, MaxCharacters } from "../../schema/list-size";
import { LineKind, LineState } from "../lines/line.entity";
import { MAX_LINES } from "../lines/line.limits";
import {
  MAX_REPORTED,
  NAME_MAX_LENGTH,
  PROBLEM_MESSAGE_MAX_LENGTH,
  PROBLEM_PATH_MAX_LENGTH,
  TESTED_DOCUMENT_MAX_BYTES,
} from "./configuration.limits";
import { ConfigurationDraft } from "./configuration-draft.entity";
import { ConfigurationVersion } from "./configuration-version.entity";
import { ConfigurationDecider } from "./decider";
import type { DocumentCheck } from "./document/check-document";
import type { ConfigurationDocument } from "./document/format";
import type { Position, Problem } from "./document/problem";

@ObjectType({ description: "An agent's line, as referenced in rules." })
export class ConfigurationLine {
  @Field(() => String, { description: "Short name, unique among the agent's lines." })
  name!: string;

  @Field(() => LineKind, { description: "Kind of line." })
  kind!: LineKind;

  @Nullable(() => String, "The sender address that contacts see. Null unless the line sends e-mail.")
  address!: string | null;

  @Field(() => LineState, { description: "Current state of the line." })
  state!: LineState;

  @Field(() => Boolean, { description: "True if the agent uses the line by default." })
  isDefault!: boolean;
}

@ObjectType({
  description: "An agent's setup: a version of its configuration, its current lines, and its decider.",
})
export class Configuration extends ConfigurationVersion {
  @Field(() => GraphQLJsonObject, {
    description: "The document. `digest` is computed from its canonical form.",
  })
  @MaxCharacters(TESTED_DOCUMENT_MAX_BYTES)
  override document!: ConfigurationDocument;

  @Field(() => [ConfigurationLine], { description: "The agent's lines, ordered by name." })
  @AtMost(MAX_LINES)
  lines!: ConfigurationLine[];

  @Field(() => ConfigurationDecider, { description: "The agent's decider." })
  decider!: ConfigurationDecider;
}

/** True if a cursor's text is a valid version number, starting at 1. */
const isVersion = (text: string): boolean => /^[1-9]\d{0,8}$/.test(text);

export const ConfigurationVersionConnection = ConnectionOf(
  ConfigurationVersion,
  "configuration-version",
  isVersion,
);
export type ConfigurationVersionConnection = InstanceType<typeof ConfigurationVersionConnection>;

@ObjectType({ description: "A position in the source of a condition or template." })
class SourcePosition implements Position {
  @Field(() => Int, { description: "Line in the source, starting at 1." })
  line!: number;

  @Field(() => Int, { description: "Column in the line, starting at 1." })
  column!: number;
}

@ObjectType({ description: "A problem in part of a configuration document." })
class ConfigurationProblem implements Problem {
  @Field(() => String, {
    description:
      "Path of the affected part, such as `rules[3].when[0]`, or an empty string for the whole document.",
  })
  @MaxCharacters(PROBLEM_PATH_MAX_LENGTH)
  path!: string;

  @Field(() => String, { description: "The problem, such as `is required`." })
  @MaxCharacters(PROBLEM_MESSAGE_MAX_LENGTH)
  message!: string;

  @Nullable(
    () => SourcePosition,
    "Position of the problem in the source of a condition or template, if known.",
  )
  position?: Position;
}

@ObjectType({ description: "Problems found in a configuration document." })
export class ConfigurationCheck implements DocumentCheck {
  @Field(() => [ConfigurationProblem], {
    description: "Up to 100 problems that prevent publication.",
  })
  @AtMost(MAX_REPORTED)
  problems!: Problem[];

  @Field(() => [ConfigurationProblem], {
    description:
      "Up to 100 probable mistakes that do not prevent publication, such as a rule that never matches, or a line that is paused or missing.",
  })
  @AtMost(MAX_REPORTED)
  warnings!: Problem[];
}

@ObjectType({ description: "A saved draft and its problems." })
export class SavedConfigurationDraft {
  @Field(() => ConfigurationDraft, { description: "The draft." })
  draft!: ConfigurationDraft;

  @Field(() => ConfigurationCheck, { description: "Problems found in the draft's document." })
  check!: DocumentCheck;
}

@ObjectType({ description: "A difference between a test's expectations and the agent's decision." })
export class ConfigurationTestDifference {
  @Field(() => String, { description: "ID of the test." })
  @MaxCharacters(NAME_MAX_LENGTH)
  testId!: string;

  @Field(() => String, { description: "Path of the expectation, such as `tests[3].expect.rule`." })
  @MaxCharacters(PROBLEM_PATH_MAX_LENGTH)
  path!: string;

  @Field(() => String, { description: "The expected and the actual result." })
  @MaxCharacters(PROBLEM_MESSAGE_MAX_LENGTH)
  message!: string;

  @Nullable(
    () => String,
    "ID of the rule that caused the difference, or null for `otherwise` or if the situation was rejected.",
  )
  @MaxCharacters(NAME_MAX_LENGTH)
  ruleId!: string | null;

  @Nullable(
    () => Int,
    "Position of the condition in the rule, starting at 1, or null if no condition caused the difference.",
  )
  clause!: number | null;
}
