import { situationTypes } from "./compiled-configuration";
import { templatesOf } from "./effect-format";
import { type ConfigurationDocument, effectsOf, type PlacedEffect, type RuleDocument } from "./format";
import { type Problem, problemAt } from "./problem";
import { ANY_SITUATION } from "./shapes";
import { undeclaredTests } from "./test-problems";

/** The lines, model and links available to an agent's document. */
export interface Surroundings {
  /** Names of the agent's lines that are not archived. */
  lines: readonly string[];
  hasModel: boolean;
  /** True if texts can contain links to the gateway. */
  hasPublicUrl: boolean;
}

/** Max lines named in a warning. */
const MAX_NAMED_LINES = 10;

/** Returns probable mistakes in a valid document and, for an agent, its missing lines and model. */
export function warningsOf(document: ConfigurationDocument, surroundings?: Surroundings): Problem[] {
  const { templates = {}, rules = [], policy, zone } = document;
  const types = new Set(situationTypes(document));
  const known = [...types];
  const effects = effectsOf(document);
  const used = new Set(effects.flatMap(({ effect }) => templatesOf(effect)).map(([, name]) => name));
  const isZoneless = policy?.windows !== undefined && policy.zone === undefined && zone === undefined;
  const undeclared = "is not a declared situation";
  const inUtc = "use UTC for contacts without a time zone, because policy.zone is not set";
  return [
    ...rules.flatMap(({ on }, index) => {
      const isKnown = on === ANY_SITUATION || types.has(on);
      const message = `${undeclared}, so the rule never matches`;
      return isKnown ? [] : problemAt(["rules", index, "on"], message, [on, known]);
    }),
    ...effects.flatMap(({ effect, path }) => {
      const type = "later" in effect ? effect.later.situation : undefined;
      const at = [...path, "later", "situation"];
      return type === undefined || types.has(type) ? [] : problemAt(at, undeclared, [type, known]);
    }),
    ...rules.flatMap((rule, index) => {
      const before = rules.slice(0, index).find((other) => hides(other, rule));
      const message = `never fires, because the rule ${before?.id} decides first`;
      return before === undefined ? [] : problemAt(["rules", index], message);
    }),
    ...Object.keys(templates).flatMap((name) =>
      used.has(name) ? [] : problemAt(["templates", name], "is not used"),
    ),
    ...(isZoneless ? [problemAt(["policy", "windows"], inUtc)] : []),
    ...(surroundings === undefined ? [] : missingFor(effects, surroundings)),
    ...undeclaredTests(document),
  ];
}

/** Finds effects that need a missing line or model. */
function missingFor(effects: readonly PlacedEffect[], { lines, hasModel }: Surroundings): Problem[] {
  const named = lines.slice(0, MAX_NAMED_LINES).join(", ");
  const known = named === "" ? "has none" : `has ${named}${lines.length > MAX_NAMED_LINES ? ", …" : ""}`;
  return effects.flatMap(({ effect, path }) => {
    const message = `is not a line in use: the agent ${known}`;
    const missing = (line: string, ...member: readonly PropertyKey[]): Problem[] =>
      lines.includes(line) ? [] : [problemAt([...path, ...member], message, [line, lines])];
    if ("move" in effect) return missing(effect.move, "move");
    const sends = "send" in effect || "resend" in effect;
    if (sends && Array.isArray(effect.line))
      return effect.line.flatMap((line, at) => missing(line, "line", at));
    if (sends && typeof effect.line === "string") return missing(effect.line, "line");
    if (!("ask" in effect) || hasModel) return [];
    const unasked = "uses a language model, but none is configured, so `otherwise` applies";
    return [problemAt([...path, "ask"], unasked)];
  });
}

/** True if an earlier rule decides every situation that a later rule would match. */
function hides(before: RuleDocument, rule: RuleDocument): boolean {
  if (before.continue || before.once || !(before.on === ANY_SITUATION || before.on === rule.on)) return false;
  const clauses = new Set(rule.when);
  return (before.when ?? []).every((clause) => clauses.has(clause));
}
