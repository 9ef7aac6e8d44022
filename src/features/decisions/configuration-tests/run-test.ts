import { InvalidInput } from "../../../errors";
import type { ConfigurationTestDifference } from "../../configuration/configuration.outputs";
import type { CompiledConfiguration } from "../../configuration/document/compiled-configuration";
import type { TestDocument, TestedSituation } from "../../configuration/document/tests-format";
import type { DecisionOutcome } from "../decision.entity";
import type { RuleExplanation } from "../explanation";
import { type Answer, answerOf, askIn, NO_MODEL, withAnswer } from "../model/asking";
import type { Ask } from "../model/proposal";
import { outcomeOf } from "../outcome";
import { mayAsk, type Plan, plan } from "../plan";
import { type Assumed, assumedResults } from "./assumed-results";
import type { ConfigurationTestResult } from "./configuration-tests.outputs";
import { differencesOf, rejection } from "./differences";
import { inputOf } from "./test-input";

export interface TestResult extends ConfigurationTestResult {
  differences: readonly ConfigurationTestDifference[];
}

/** A test's result with its explanation, which may be large. */
export interface TestRun extends TestResult {
  /** The rules that were tried, in order. */
  rules: readonly RuleExplanation[];
}

export interface Decided {
  planned: Plan;
  assumed: Assumed;
  outcome: DecisionOutcome;
}

/** Compares the decision in a test with its expectations. The result depends only on the arguments. */
export function runTest(configuration: CompiledConfiguration, test: TestDocument, index: number): TestRun {
  const { id: testId, expect } = test;
  let decided: Decided;
  try {
    decided = decide(configuration, test);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const differences = [rejection(test, index, error)];
    return { testId, passed: false, ruleId: null, outcome: null, rules: [], differences };
  }
  const { ruleId, rules } = decided.planned;
  const differences = differencesOf({ configuration, test, index, expect, ...decided });
  return { testId, passed: differences.length === 0, ruleId, outcome: decided.outcome, rules, differences };
}

/**
 * Decides about a test's situation, with the model answer that the test assumes.
 * @throws InvalidInput like `plan`
 */
export function decide(configuration: CompiledConfiguration, tested: TestedSituation): Decided {
  const input = inputOf(tested);
  const first = plan(configuration, input);
  const ask = mayAsk(first.gates) ? askIn(first.effects) : undefined;
  const planned =
    ask === undefined ? first : withAnswer(configuration, input, first, assumedAnswer(ask, tested.model));
  const assumed = assumedResults(planned, input, tested);
  return { planned, assumed, outcome: outcomeOf(assumed.effects) };
}

function assumedAnswer(ask: Ask, model: TestDocument["model"]): Answer {
  if (model === undefined) return NO_MODEL;
  const { error, text = null, ...choice } = model;
  if (error !== undefined) return { error: { code: error, message: "The test assumes this failure." } };
  return answerOf(ask, JSON.stringify({ text, ...choice }));
}
