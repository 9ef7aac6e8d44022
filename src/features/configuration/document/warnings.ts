import { type ConfigurationDocument, type RuleDocument, templateOf } from "./format";
import { type Problem, pathOf } from "./problem";
import { ANY_SITUATION, RESERVED_SITUATIONS } from "./shapes";

/** Probable mistakes in a valid document: rules that never match and unused templates. */
export function warningsOf(document: ConfigurationDocument): Problem[] {
  const { situations = {}, templates = {}, rules = [], otherwise = [] } = document;
  const isKnown = (type: string) =>
    type === ANY_SITUATION || RESERVED_SITUATIONS.has(type) || Object.hasOwn(situations, type);
  const unknown = rules.flatMap(({ on }, index) =>
    isKnown(on)
      ? []
      : [
          {
            path: pathOf(["rules", index, "on"]),
            message: "is not a declared situation, so the rule never matches",
          },
        ],
  );
  const hidden = rules.flatMap((rule, index) => {
    const before = rules.slice(0, index).find((other) => hides(other, rule));
    return before
      ? [{ path: pathOf(["rules", index]), message: `never fires: the rule ${before.id} decides before it` }]
      : [];
  });
  const used = new Set([...rules.flatMap((rule) => rule.do ?? []), ...otherwise].map(templateOf));
  const unused = Object.keys(templates)
    .filter((name) => !used.has(name))
    .map((name) => ({ path: pathOf(["templates", name]), message: "is not used" }));
  return [...unknown, ...hidden, ...unused];
}

/** True if an earlier rule decides every situation that a later one would match. */
function hides(before: RuleDocument, rule: RuleDocument): boolean {
  if (before.continue || before.once || !(before.on === ANY_SITUATION || before.on === rule.on)) return false;
  const clauses = new Set(rule.when);
  return (before.when ?? []).every((clause) => clauses.has(clause));
}
