import type { CompiledConfiguration } from "../configuration/document/compiled-configuration";
import type { Effect } from "../configuration/document/effect";
import { withinLimits } from "../configuration/document/effect-writer";
import { evaluate, otherwise } from "../configuration/document/evaluate";
import type { Formatted } from "../configuration/document/local-formats";
import type { DecisionInput } from "../configuration/document/read-situation";
import type { GateExplanation, RuleExplanation } from "./explanation";
import { rulesJson } from "./explanation-json";
import { isLoop, loopGate } from "./loop-gate";

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

/** True if a human answers in the conversation. */
export const isHandedOff = (gates: readonly GateExplanation[]): boolean =>
  gates.some(({ name, passed }) => name === "handler" && !passed);

/** True if the gates allow an `ask` effect. */
export const mayAsk = (gates: readonly GateExplanation[]): boolean => !isLoop(gates) && !isHandedOff(gates);

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
  const { conversation, answers, isHandedOff: isHuman = conversation?.handler === "human" } = input;
  const { ruleId, rules, effects, formatted } = evaluate(configuration, input);
  const gates = [
    ...declaredGate(configuration, input.situation.type),
    ...(conversation === null && !isHuman ? [] : [{ name: "handler" as const, passed: !isHuman }]),
    ...(answers === undefined ? [] : [loopGate(answers)]),
  ];
  const matched = rules.filter((rule) => rule.matched).map((rule) => rule.ruleId);
  const planned = { ruleId, gates, rules, matched, effects, formatted };
  return mayAsk(gates) && effects.some(isUnrenderedAsk)
    ? withOtherwise(configuration, input, planned)
    : planned;
}

/** True for an `ask` whose texts cannot be rendered. Beyond the limit on effects, `otherwise` would fail as well. */
const isUnrenderedAsk = ({ kind, error }: Effect): boolean =>
  kind === "ask" && error !== null && error.code !== "limit_reached";

/**
 * Returns a plan whose `ask` effect failed with the effects of `otherwise` added.
 * @throws InvalidInput like `evaluate`
 */
export function withOtherwise<Rules>(
  configuration: CompiledConfiguration,
  input: DecisionInput,
  planned: Plan<Rules>,
): Plan<Rules> {
  const instead = otherwise(configuration, input);
  const effects = withinLimits([...planned.effects, ...instead.effects.filter(({ kind }) => kind !== "ask")]);
  const formatted = instead.formatted && { ...planned.formatted, ...instead.formatted };
  return { ...planned, effects, formatted: formatted ?? planned.formatted };
}
