import { MAX_EFFECTS_PER_DECISION } from "../configuration.limits";
import type { CompiledConfiguration, CompiledRule } from "./compiled-configuration";
import type { ClauseResult } from "./conditions/condition";
import { Run } from "./conditions/run";
import type { Effect } from "./effect";
import type { EffectDocument } from "./effect-format";
import { EffectWriter, withinLimits } from "./effect-writer";
import { type Formatted, LocalFormats } from "./local-formats";
import { type DecisionInput, readSituation, rootsForConditions, rootsForTemplates } from "./read-situation";

/** The reasons why a rule did or did not match. */
export interface RuleResult {
  ruleId: string;
  matched: boolean;
  /** True if the conditions are met, but the rule has matched too recently (`once`). */
  spent?: true;
  /** The rule's conditions, up to the first unmet one. */
  clauses: ClauseResult[];
}

/** The result of evaluating the rules for a situation. */
export interface Evaluation {
  /** The rule that decided; null if none did. */
  ruleId: string | null;
  /** The rules that were tried, in order. */
  rules: RuleResult[];
  /** The effects, in order. */
  effects: Effect[];
  /** The cost of the evaluation, in steps. */
  steps: number;
  /** The texts that Intl formatted during the evaluation; undefined if there are none. */
  formatted: Formatted | undefined;
}

/**
 * Evaluates a configuration. The result depends only on the arguments.
 * @throws InvalidInput if the situation does not match its declaration, with paths from `situation`
 */
export function evaluate(configuration: CompiledConfiguration, input: DecisionInput): Evaluation {
  const data = readSituation(configuration, input.situation);
  const formats = new LocalFormats(configuration.document.zone, input.formatted);
  const run = new Run(rootsForConditions(input, data.forConditions), formats);
  const rules: RuleResult[] = [];
  const counted = new Set<string>();
  const chosen: {
    ruleId: string | null;
    effects: readonly EffectDocument[];
    whileHuman?: true | undefined;
  }[] = [];
  let decided: CompiledRule | undefined;
  let count = 0;
  for (const rule of configuration.rulesFor(input.situation.type)) {
    const result = tryRule(rule, run, input.spent, counted);
    rules.push(result);
    if (!result.matched) continue;
    const { do: effects = [], whileHuman } = rule.document;
    chosen.push({ ruleId: result.ruleId, effects, whileHuman: whileHuman || undefined });
    count += effects.length;
    if (rule.document.continue && count <= MAX_EFFECTS_PER_DECISION) continue;
    decided = rule;
    break;
  }
  if (!decided) chosen.push({ ruleId: null, effects: configuration.otherwiseFor(input.situation.type) });
  const roots = rootsForTemplates(input, data.forTemplates);
  const writer = new EffectWriter(configuration, input, roots, formats);
  const written = chosen.flatMap(({ ruleId, effects, whileHuman }) =>
    effects.map((effect) => ({ ...writer.write(ruleId, effect), ...(whileHuman && { whileHuman }) })),
  );
  return {
    ruleId: decided?.document.id ?? null,
    rules,
    effects: withinLimits(written),
    steps: run.steps.spent + writer.steps.spent,
    formatted: formats.formatted,
  };
}

/**
 * Returns the effects of `otherwise`, which apply if neither a rule nor a model decides.
 * @throws InvalidInput like `evaluate`
 */
export function otherwise(
  configuration: CompiledConfiguration,
  input: DecisionInput,
): Pick<Evaluation, "effects" | "formatted"> {
  const { forTemplates } = readSituation(configuration, input.situation);
  const formats = new LocalFormats(configuration.document.zone, input.formatted);
  const writer = new EffectWriter(configuration, input, rootsForTemplates(input, forTemplates), formats);
  const documents = configuration.otherwiseFor(input.situation.type);
  const effects = documents.map((effect) => writer.write(null, effect));
  return { effects, formatted: formats.formatted };
}

/** A rule with `once`, and the subject for which its matches are counted. */
export interface OnceLimit {
  ruleId: string;
  /** The name of the count that the rule shares with other rules; null if the rule has its own count. */
  group: string | null;
  /** The counted subject; `{ text }` stands for the contact, or else the agent, together with the text. */
  per: "contact" | "conversation" | { text: string };
  /** The period within which the rule matches at most once, as an ISO 8601 duration. */
  within: string;
}

/** Returns a situation's rules with `once`, unless their `per` expression does not return a string. */
export function onceLimits(
  configuration: CompiledConfiguration,
  input: Omit<DecisionInput, "spent">,
): OnceLimit[] {
  let run: Run | undefined;
  const limited = configuration.rulesFor(input.situation.type).filter(({ document: { once } }) => once);
  return limited.flatMap((rule): OnceLimit[] => {
    const { id: ruleId, once } = rule.document;
    if (once === undefined) return [];
    const { per, within, group = null } = once;
    if (per === "contact" || per === "conversation") return [{ ruleId, group, per, within }];
    run ??= new Run(
      rootsForConditions(input, readSituation(configuration, input.situation).forConditions),
      new LocalFormats(configuration.document.zone, input.formatted),
    );
    const text = rule.onceKey?.evaluate(run);
    return typeof text === "string" ? [{ ruleId, group, per: { text }, within }] : [];
  });
}

/** @param counted the names of the shared counts whose rules have already matched in this decision */
function tryRule(rule: CompiledRule, run: Run, spent: readonly string[], counted: Set<string>): RuleResult {
  const { document, conditions } = rule;
  const clauses: ClauseResult[] = [];
  for (const condition of conditions) {
    const clause = condition.evaluate(run);
    clauses.push(clause);
    if (clause.value !== true) return { ruleId: document.id, matched: false, clauses };
  }
  const key = rule.onceKey?.evaluate(run);
  if (typeof key === "object") return { ruleId: document.id, matched: false, clauses: [...clauses, key] };
  const { once } = document;
  const count = once?.group === undefined ? undefined : `${once.group} ${once.per} ${key ?? ""}`;
  const isSpent =
    (once !== undefined && spent.includes(document.id)) || (count !== undefined && counted.has(count));
  if (count !== undefined && !isSpent) counted.add(count);
  return { ruleId: document.id, matched: !isSpent, ...(isSpent && { spent: true as const }), clauses };
}
