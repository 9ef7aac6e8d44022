import type { CompiledConfiguration } from "../configuration/document/compiled-configuration";
import { type DecisionInput, type Effect, evaluate } from "../configuration/document/evaluate";
import { Handler } from "../conversations/conversation.entity";
import type { GateExplanation, RuleExplanation } from "./explanation";
import { loopGate } from "./loop";

/** The plan of the rules for a situation, before anything is done. */
export interface Plan {
  ruleId: string | null;
  gates: GateExplanation[];
  rules: RuleExplanation[];
  effects: Effect[];
}

/** Decides as `plan` does, in steps, because a configuration that is not parsed yet may take long. */
export function* planInSteps(
  configuration: CompiledConfiguration,
  input: DecisionInput,
): Generator<void, Plan> {
  yield* configuration.parse(input.situation.type);
  return plan(configuration, input);
}

/**
 * Decides what to do. The plan depends on nothing but the arguments.
 * @throws InvalidInput if the situation is not as the configuration declares it, with paths from `situation`
 */
export function plan(configuration: CompiledConfiguration, input: DecisionInput): Plan {
  const { conversation, answers } = input;
  const isHuman = conversation?.handler === Handler.human;
  const gates = [
    ...(conversation === null ? [] : [{ name: "handler", passed: !isHuman }]),
    ...(answers === undefined ? [] : [loopGate(answers)]),
  ];
  // Also while a human answers, because a wrong situation is the caller's mistake in any case.
  const { ruleId, rules, effects } = evaluate(configuration, input);
  return isHuman ? { ruleId: null, gates, rules: [], effects: [] } : { ruleId, gates, rules, effects };
}
