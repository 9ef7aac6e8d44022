import { instantOf } from "../../../common/instant";
import { MAX_MESSAGES_PER_DECISION } from "../configuration.limits";
import type { CompiledConfiguration } from "./compiled-configuration";
import { timerData } from "./data-types";
import type { EffectDocument } from "./effect-format";
import { type ConfigurationDocument, declarationOf, effectsOf } from "./format";
import { type Problem, problemAt } from "./problem";
import { readKeyedData } from "./read-situation";
import { MESSAGE_FAILED, RESERVED_SITUATIONS } from "./shapes";

/** The kinds of effects that do not interfere with a human who is answering. */
const WHILE_HUMAN = ["send", "resend", "addTags", "removeTags", "later", "cancelTimer"];

/** Finds effects that could never be applied. */
export function effectProblems(document: ConfigurationDocument): Problem[] {
  const { rules = [], otherwise = [] } = document;
  return [
    ...rules.flatMap((rule, index) => listProblems(rule.do ?? [], ["rules", index, "do"], !rule.continue)),
    ...listProblems(otherwise, ["otherwise"], true),
    ...effectsOf(document).flatMap(({ effect, path, rule }) => {
      const problem = (isProblem: boolean, message: string, ...member: string[]): Problem[] =>
        isProblem ? [problemAt([...path, ...member], message)] : [];
      return [
        ...problem(
          rule?.whileHuman === true && !WHILE_HUMAN.some((kind) => kind in effect),
          "must send a message, change tags, or set or cancel a timer, because a human may be answering",
        ),
        ...problem(
          "resend" in effect && rule?.on !== MESSAGE_FAILED,
          `must be in a rule for ${MESSAGE_FAILED}`,
        ),
        ...problem(
          "send" in effect && effect.reuse !== undefined && effect.line !== undefined,
          "must not be used with a line",
          "reuse",
        ),
        ...problem(
          "ask" in effect && rule === undefined,
          "must not use the model, because `otherwise` is the fallback if the model fails",
        ),
      ];
    }),
  ];
}

/** Finds lists with too many messages, and `ask` effects that are not the last effect of a deciding rule. */
function listProblems(
  effects: readonly EffectDocument[],
  path: readonly PropertyKey[],
  isLast: boolean,
): Problem[] {
  const asked = effects.findIndex((effect) => "ask" in effect);
  const problems: Problem[] = [];
  if (effects.filter((effect) => "send" in effect || "resend" in effect).length > MAX_MESSAGES_PER_DECISION)
    problems.push(problemAt(path, `must send at most ${MAX_MESSAGES_PER_DECISION} messages`));
  if (asked !== -1 && !(isLast && asked === effects.length - 1))
    problems.push(problemAt([...path, asked], "must be the last effect of a rule that decides"));
  return problems;
}

/** Finds timers that could never be set. */
export function timerProblems(configuration: CompiledConfiguration): Problem[] {
  const { document } = configuration;
  const { situations = {}, strict } = document;
  return effectsOf(document).flatMap(({ effect, path }) => {
    if (!("later" in effect)) return [];
    const { situation: type, at: time, data = {} } = effect.later;
    const problem = (at: readonly PropertyKey[], message: string, unknown?: Problem["unknown"]) =>
      problemAt([...path, "later", ...at], message, unknown);
    if (RESERVED_SITUATIONS.has(type))
      return [problem(["situation"], "is a situation that the gateway raises")];
    const declared = declarationOf(document, type)?.data;
    if (declared === undefined && strict)
      return [problem(["situation"], "must be a declared situation", [type, Object.keys(situations)])];
    const unknown = declared ? Object.keys(data).filter((name) => !Object.hasOwn(declared, name)) : [];
    const templates = Object.keys(data).filter((name) => isTemplate(data[name]));
    const types = declared && without(declared, templates);
    const literals = timerData(without(data, [...templates, ...unknown]), types, (text) =>
      isTemplate(text) ? "" : text,
    );
    const read = readKeyedData(configuration, { type, data: literals }, types);
    const isWrongTime = time !== undefined && !isTemplate(time) && instantOf(time.trim()) === undefined;
    return [
      ...(isWrongTime ? [problem(["at"], "must be a time such as 2026-01-31T12:00:00Z")] : []),
      ...unknown.map((name) =>
        problem(["data", name], "is not declared", [name, Object.keys(declared ?? {})]),
      ),
      ...(Array.isArray(read) ? read : []).map(({ path, message }) =>
        problem(["data", path].filter(Boolean), message),
      ),
    ];
  });
}

/** True for text whose value is known only when the timer is set. */
const isTemplate = (value: unknown): boolean => typeof value === "string" && /\{[{%]/.test(value);

const without = <T>(members: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
