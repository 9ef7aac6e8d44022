import { situationTypes } from "./compiled-configuration";
import { templatesOf } from "./effect-format";
import { type ConfigurationDocument, effectsOf, type PlacedEffect, type RuleDocument } from "./format";
import { type Problem, pathOf, problemAt, segmentsOf } from "./problem";
import { ANY_SITUATION } from "./shapes";
import { undeclaredTests } from "./test-problems";

/** The lines, model and links available to an agent's document. */
export interface Surroundings {
  /** Names of the agent's lines that are not archived. */
  lines: readonly string[];
  /** Names of the paused lines among them. */
  paused: readonly string[];
  hasModel: boolean;
  /** True if texts can contain links to the gateway. */
  hasPublicUrl: boolean;
}

/** Max lines named in a warning. */
const MAX_NAMED_LINES = 10;

/**
 * Returns probable mistakes in a valid document and, for an agent, its missing or paused lines and missing model.
 * @param replaced problems whose parts were replaced to make the document valid; warnings that these parts may
 *   cause are omitted
 */
export function warningsOf(
  document: ConfigurationDocument,
  surroundings?: Surroundings,
  replaced: readonly Problem[] = [],
): Problem[] {
  const { templates = {}, rules = [], policy, zone } = document;
  const isSound = soundnessOf(replaced);
  const types = new Set(situationTypes(document));
  const known = [...types];
  const isDeclared = (type: string) => types.has(type) || !isSound("situations");
  const effects = effectsOf(document);
  const used = new Set(effects.flatMap(({ effect }) => templatesOf(effect)).map(([, name]) => name));
  const isZoneless =
    policy?.windows !== undefined &&
    policy.zone === undefined &&
    zone === undefined &&
    isSound("policy") &&
    isSound("zone");
  const undeclared = "is not a declared situation";
  const inUtc = "use UTC for contacts without a time zone, because policy.zone is not set";
  return [
    ...rules.flatMap(({ on }, index) => {
      const isKnown = on === ANY_SITUATION || isDeclared(on);
      const message = `${undeclared}, so the rule never matches`;
      return isKnown ? [] : problemAt(["rules", index, "on"], message, [on, known]);
    }),
    ...effects.flatMap(({ effect, path }) => {
      const type = "later" in effect ? effect.later.situation : undefined;
      const at = [...path, "later", "situation"];
      return type === undefined || isDeclared(type) ? [] : problemAt(at, undeclared, [type, known]);
    }),
    ...rules.flatMap((rule, index) => {
      const isHidden = (other: RuleDocument, at: number) => isSound("rules", at) && hides(other, rule);
      const before = isSound("rules", index) ? rules.slice(0, index).find(isHidden) : undefined;
      const message = `never fires, because the rule ${before?.id} decides first`;
      return before === undefined ? [] : problemAt(["rules", index], message);
    }),
    ...Object.keys(templates).flatMap((name) =>
      used.has(name) || !isSound("rules") || !isSound("otherwise")
        ? []
        : problemAt(["templates", name], "is not used"),
    ),
    ...(isZoneless ? [problemAt(["policy", "windows"], inUtc)] : []),
    ...(surroundings === undefined ? [] : missingFor(effects, surroundings)),
    ...(isSound("situations") && isSound("tests") ? undeclaredTests(document) : []),
  ];
}

/** Returns a function that is true for parts without problems; any part may be missing because of a misspelled name. */
function soundnessOf(problems: readonly Problem[]): (...part: readonly PropertyKey[]) => boolean {
  const paths = problems.map(({ path }) => segmentsOf(path));
  const isMisspelled = problems.some(({ unknown }, index) => unknown && paths[index]?.length === 1);
  const unsound = new Set(paths.flatMap((path) => path.map((_, end) => pathOf(path.slice(0, end + 1)))));
  return (...part) => !isMisspelled && !unsound.has(pathOf(part));
}

/** Finds effects that need a missing or paused line, or a missing model. */
function missingFor(effects: readonly PlacedEffect[], { lines, paused, hasModel }: Surroundings): Problem[] {
  const named = lines.slice(0, MAX_NAMED_LINES).join(", ");
  const known = named === "" ? "has none" : `has ${named}${lines.length > MAX_NAMED_LINES ? ", …" : ""}`;
  return effects.flatMap(({ effect, path }) => {
    const check = (line: string, whenPaused: string, ...member: readonly PropertyKey[]): Problem[] => {
      const at = [...path, ...member];
      if (paused.includes(line)) return [problemAt(at, `is a paused line: ${whenPaused}`)];
      if (lines.includes(line)) return [];
      return [problemAt(at, `is not a line in use: the agent ${known}`, [line, lines])];
    };
    if ("move" in effect) return check(effect.move, "no conversation can be moved to it", "move");
    const sends = "send" in effect || "resend" in effect;
    const waits = "its messages wait";
    if (sends && Array.isArray(effect.line))
      return effect.line.flatMap((line, at) => check(line, waits, "line", at));
    if (sends && typeof effect.line === "string") return check(effect.line, waits, "line");
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
