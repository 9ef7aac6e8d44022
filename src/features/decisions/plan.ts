import { type DecisionInput, type Effect, evaluate } from "../configuration/document/evaluate";
import type { Playbook } from "../configuration/document/playbook";
import { Handler } from "../conversations/conversation.entity";
import type { GateExplanation, RuleExplanation } from "./explanation";

/** What rules make of a situation, before anything is done. */
export interface Plan {
  ruleId: string | null;
  gates: GateExplanation[];
  rules: RuleExplanation[];
  effects: Effect[];
}

/**
 * Decides what to do. The plan depends on nothing but the arguments.
 * @throws InvalidInput if the situation is not as the configuration declares it, with paths from `situation`
 */
export function plan(playbook: Playbook, input: DecisionInput): Plan {
  const { conversation } = input;
  const gates =
    conversation === null ? [] : [{ name: "handler", passed: conversation.handler !== Handler.human }];
  // Also if a gate is closed, because a wrong situation is the caller's mistake in any case.
  const { ruleId, rules, effects } = evaluate(playbook, input);
  return gates.every(({ passed }) => passed)
    ? { ruleId, gates, rules, effects }
    : { ruleId: null, gates, rules: [], effects: [] };
}
