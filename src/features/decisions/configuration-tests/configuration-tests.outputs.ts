import { Field, Int, ObjectType } from "type-graphql";
import { Nullable } from "../../../common/nullable";
import { GraphQLJsonObject } from "../../../schema/json-object";
import { AtMost, MaxCharacters } from "../../../schema/list-size";
import {
  MAX_CLAUSES,
  MAX_MESSAGES_PER_DECISION,
  MAX_REPORTED,
  MAX_RULES,
  MAX_TESTS,
  NAME_MAX_LENGTH,
  SITUATION_MAX_BYTES,
} from "../../configuration/configuration.limits";
import { ConfigurationTestDifference } from "../../configuration/configuration.outputs";
import { ATTRIBUTES_MAX_BYTES } from "../../contacts/contact.limits";
import { MESSAGE_TEXT_MAX_LENGTH } from "../../messages/message.limits";
import { DecisionOutcome } from "../decision.entity";

/** Max size of a test created from a decision: its situation, contact, messages and expected messages. */
export const TEST_MAX_CHARACTERS =
  SITUATION_MAX_BYTES +
  ATTRIBUTES_MAX_BYTES +
  (10 + 1 + MAX_MESSAGES_PER_DECISION) * MESSAGE_TEXT_MAX_LENGTH +
  10_000;

@ObjectType({ description: "A configuration test created from a decision." })
export class TestFromDecision {
  @Field(() => GraphQLJsonObject, {
    description: "The test, which can be added to a configuration's `tests`.",
  })
  @MaxCharacters(TEST_MAX_CHARACTERS)
  test!: object;
}

@ObjectType({ description: "Result of a configuration test." })
export class ConfigurationTestResult {
  @Field(() => String, { description: "ID of the test." })
  @MaxCharacters(NAME_MAX_LENGTH)
  testId!: string;

  @Field(() => Boolean, { description: "True if the agent's decision meets the test's expectations." })
  passed!: boolean;

  @Nullable(
    () => String,
    "ID of the rule that decided, or null for `otherwise` or if the situation was rejected.",
  )
  @MaxCharacters(NAME_MAX_LENGTH)
  ruleId!: string | null;

  @Nullable(() => DecisionOutcome, "Outcome of the decision, or null if the situation was rejected.")
  outcome!: DecisionOutcome | null;
}

@ObjectType({ description: "Test coverage of a rule's condition." })
export class ConfigurationClauseCoverage {
  @Field(() => Int, { description: "Number of tests that met the condition." })
  met!: number;

  @Field(() => Int, { description: "Number of tests that did not meet the condition." })
  notMet!: number;
}

@ObjectType({ description: "Test coverage of a rule." })
export class ConfigurationRuleCoverage {
  @Nullable(() => String, "ID of the rule, or null for `otherwise`.")
  @MaxCharacters(NAME_MAX_LENGTH)
  ruleId!: string | null;

  @Field(() => Int, { description: "Number of tests where the rule matched." })
  matched!: number;

  @Field(() => [ConfigurationClauseCoverage], { description: "The rule's conditions, in order." })
  @AtMost(MAX_CLAUSES)
  clauses!: ConfigurationClauseCoverage[];
}

@ObjectType({ description: "Results of configuration tests." })
export class ConfigurationTests {
  @Field(() => Int, { description: "Number of tests." })
  total!: number;

  @Field(() => Int, { description: "Number of tests that failed." })
  failed!: number;

  @Field(() => [ConfigurationTestResult], { description: "The result of each test, in order." })
  @AtMost(MAX_TESTS)
  results!: readonly ConfigurationTestResult[];

  @Field(() => [ConfigurationTestDifference], {
    description: "Differences between the tests' expectations and the agent's decisions, at most 100.",
  })
  @AtMost(MAX_REPORTED)
  differences!: readonly ConfigurationTestDifference[];

  @Field(() => [ConfigurationRuleCoverage], {
    description:
      "Test coverage of each rule and condition, in order. Tests cannot find mistakes in rules and conditions that they do not reach.",
  })
  @AtMost(MAX_RULES + 1)
  coverage!: readonly ConfigurationRuleCoverage[];
}
