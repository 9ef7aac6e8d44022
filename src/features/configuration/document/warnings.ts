import { situationTypes } from "./compiled-configuration";
import { templatesOf } from "./effect-format";
import { type ConfigurationDocument, effectsOf, type PlacedEffect, type RuleDocument } from "./format";
import { type Problem, pathOf } from "./problem";
import { ANY_SITUATION } from "./shapes";
import { undeclaredTests } from "./test-problems";

/** The lines and the model available to an agent's document. */
export interface Surroundings {
  /** Names of the agent's lines that can send. */
  lines: readonly string[];
  hasModel: boolean;
  /** True if texts can contain links to the gateway. */
  hasPublicUrl: boolean;
}

/** Max lines named in a warning. */
const MAX_NAMED_LINES = 10;

/**
 * Probable mistakes in a valid document: rules that never match, unused templates, windows without a time zone and, for
 * an agent's document, missing lines and questions to a missing model.
 */
export function warningsOf(document: ConfigurationDocument, surroundings?: Surroundings): Problem[] {
  const { templates = {}, rules = [] } = document;
  const types = new Set(situationTypes(document));
  const known = [...types];
  const unknown = rules.flatMap(({ on }, index): Problem[] =>
    on === ANY_SITUATION || types.has(on)
      ? []
      : [
          {
            path: pathOf(["rules", index, "on"]),
            message: "is not a declared situation, so the rule never matches",
            unknown: [on, known],
          },
        ],
  );
  const effects = effectsOf(document);
  const undeclared = effects.flatMap(({ effect, path }): Problem[] =>
    !("later" in effect) || types.has(effect.later.situation)
      ? []
      : [
          {
            path: pathOf([...path, "later", "situation"]),
            message: "is not a declared situation",
            unknown: [effect.later.situation, known],
          },
        ],
  );
  const hidden = rules.flatMap((rule, index) => {
    const before = rules.slice(0, index).find((other) => hides(other, rule));
    return before
      ? [
          {
            path: pathOf(["rules", index]),
            message: `never fires, because the rule ${before.id} decides first`,
          },
        ]
      : [];
  });
  const used = new Set(effects.flatMap(({ effect }) => templatesOf(effect)).map(([, name]) => name));
  const unused = Object.keys(templates)
    .filter((name) => !used.has(name))
    .map((name) => ({ path: pathOf(["templates", name]), message: "is not used" }));
  const { policy, zone } = document;
  const zoneless =
    policy?.windows !== undefined && policy.zone === undefined && zone === undefined
      ? [
          {
            path: "policy.windows",
            message: "use UTC for contacts without a time zone, because policy.zone is not set",
          },
        ]
      : [];
  const missing = surroundings === undefined ? [] : missingFor(effects, surroundings);
  return [
    ...unknown,
    ...undeclared,
    ...hidden,
    ...unused,
    ...zoneless,
    ...missing,
    ...undeclaredTests(document),
  ];
}

/** Finds effects that need a missing line or model. */
function missingFor(effects: readonly PlacedEffect[], { lines, hasModel }: Surroundings): Problem[] {
  const named = lines.slice(0, MAX_NAMED_LINES).join(", ");
  const known = named === "" ? "has none" : `has ${named}${lines.length > MAX_NAMED_LINES ? ", …" : ""}`;
  return effects.flatMap(({ effect, path }) => {
    const missing = (line: string, ...member: readonly PropertyKey[]): Problem[] =>
      lines.includes(line)
        ? []
        : [
            {
              path: pathOf([...path, ...member]),
              message: `is not a line in use: the agent ${known}`,
              unknown: [line, lines],
            },
          ];
    if ("move" in effect) return missing(effect.move, "move");
    const sends = "send" in effect || "resend" in effect;
    if (sends && Array.isArray(effect.line))
      return effect.line.flatMap((line, at) => missing(line, "line", at));
    if (sends && typeof effect.line === "string") return missing(effect.line, "line");
    if (!("ask" in effect) || hasModel) return [];
    const message = "asks a language model, but none is configured, so `otherwise` applies";
    return [{ path: pathOf([...path, "ask"]), message }];
  });
}

/** True if an earlier rule decides every situation that a later rule would match. */
function hides(before: RuleDocument, rule: RuleDocument): boolean {
  if (before.continue || before.once || !(before.on === ANY_SITUATION || before.on === rule.on)) return false;
  const clauses = new Set(rule.when);
  return (before.when ?? []).every((clause) => clauses.has(clause));
}
