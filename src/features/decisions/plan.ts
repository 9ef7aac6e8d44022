import type { CompiledConfiguration } from "../configuration/document/compiled-configuration";
import type { Effect } from "../configuration/document/effect";
import { evaluate } from "../configuration/document/evaluate";
import type { Formatted } from "../configuration/document/local-formats";
import type { DecisionInput } from "../configuration/document/read-situation";
import type { Handler } from "../conversations/conversation.entity";
import type { GateExplanation, RuleExplanation } from "./explanation";
import { rulesJson } from "./explanation-json";
import { loopGate } from "./loop-gate";

/** The rules' plan for a situation, before its effects are applied; `Rules` is the type of the rules' results. */
export interface Plan<Rules = RuleExplanation[]> {
  ruleId: string | null;
  gates: GateExplanation[];
  rules: Rules;
  /** The IDs of the rules that matched. */
  matched: string[];
  effects: Effect[];
  /** Texts formatted by Intl, to record with the decision; undefined if there are none. */
  formatted?: Formatted | undefined;
}

/** The gate that prevents the agent from interfering with a human. */
const HANDLER = "handler" as const;

const HUMAN: Handler = "human";

/** True if a human answers in the conversation. */
export const isHandedOff = (gates: readonly GateExplanation[]): boolean =>
  gates.some(({ name, passed }) => name === HANDLER && !passed);

/** Returns the gate for a situation type that the configuration does not declare, possibly because of a typo. */
const declaredGate = (configuration: CompiledConfiguration, type: string): GateExplanation[] =>
  configuration.dataOf(type) === undefined
    ? [{ name: "declared", passed: false, nearest: configuration.nearestType(type) }]
    : [];

/** Plans in steps, because parsing may take a long time. Returns the rules' results as JSON. */
export function* planInSteps(
  configuration: CompiledConfiguration,
  input: DecisionInput,
): Generator<void, Plan<string>> {
  const { type } = input.situation;
  yield* configuration.parse(type);
  const planned = plan(configuration, input);
  return { ...planned, rules: rulesJson(planned.rules, configuration.rulesFor(type)) };
}

/**
 * Decides by the rules. The result depends only on the arguments.
 * @throws InvalidInput if the situation does not match its declaration, with paths from `situation`
 */
export function plan(configuration: CompiledConfiguration, input: DecisionInput): Plan {
  const { conversation, answers, isHandedOff: isHuman = conversation?.handler === HUMAN } = input;
  const { ruleId, rules, effects, formatted } = evaluate(configuration, input);
  const gates = [
    ...declaredGate(configuration, input.situation.type),
    ...(conversation === null && !isHuman ? [] : [{ name: HANDLER, passed: !isHuman }]),
    ...(answers === undefined ? [] : [loopGate(answers)]),
  ];
  const matched = rules.filter((rule) => rule.matched).map(({ id }) => id);
  return { ruleId, gates, rules, matched, effects, formatted };
}
