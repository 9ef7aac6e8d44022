import type { CompiledConfiguration } from "../configuration/document/compiled-configuration";
import { type DecisionInput, type Effect, evaluate } from "../configuration/document/evaluate";
import { Handler } from "../conversations/conversation.entity";
import type { GateExplanation, RuleExplanation } from "./explanation";
import { loopGate } from "./loop";

/** The plan of the rules for a situation, before effects are applied. */
export interface Plan {
  ruleId: string | null;
  gates: GateExplanation[];
  rules: RuleExplanation[];
  effects: Effect[];
}

/** Decides like `plan`, in steps, because parsing a configuration may take long. */
export function* planInSteps(
  configuration: CompiledConfiguration,
  input: DecisionInput,
): Generator<void, Plan> {
  yield* configuration.parse(input.situation.type);
  return plan(configuration, input);
}

/**
 * Decides what to do. Depends only on its arguments.
 * @throws InvalidInput if the situation does not match its declaration, with paths from `situation`
 */
export function plan(configuration: CompiledConfiguration, input: DecisionInput): Plan {
  const { conversation, answers } = input;
  const isHuman = conversation?.handler === Handler.human;
  const gates = [
    ...(conversation === null ? [] : [{ name: "handler", passed: !isHuman }]),
    ...(answers === undefined ? [] : [loopGate(answers)]),
  ];
  // Evaluated even while a human answers, because an invalid situation is always the caller's mistake.
  const { ruleId, rules, effects } = evaluate(configuration, input);
  return isHuman ? { ruleId: null, gates, rules: [], effects: [] } : { ruleId, gates, rules, effects };
}
