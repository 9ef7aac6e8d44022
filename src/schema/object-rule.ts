import { Extensions } from "type-graphql";
import type { InputProblem } from "../errors";
import { isApart } from "./items-apart";

/** A rule about several fields of an input object. All APIs check it together with the fields' own rules. */
export interface ObjectRule {
  /** The fields that the rule reads; if one of them is invalid, the rule is skipped. */
  fields: readonly string[];
  /** Returns the problem, with a path within the object; undefined if the rule is met. */
  check: (input: Readonly<Record<string, unknown>>) => InputProblem | undefined;
}

const rules = new WeakMap<object, readonly ObjectRule[]>();

/** Adds a rule to an input or arguments class. */
export const Rule =
  (rule: ObjectRule): ClassDecorator =>
  (target) => {
    const all = [...(rules.get(target) ?? []), rule];
    rules.set(target, all);
    Extensions({ objectRules: all })(target);
  };

/** Returns the rules of a GraphQL input type. */
export const objectRulesOf = (type: { extensions: Readonly<Record<string, unknown>> }) =>
  (type.extensions.objectRules as readonly ObjectRule[] | undefined) ?? [];

/** Adds the problems found by an object's rules; `path` is empty for the whole input. */
export function addRuleProblems(
  all: readonly ObjectRule[],
  input: Readonly<Record<string, unknown>>,
  path: string,
  problems: InputProblem[],
): void {
  const within = (name: string) => (path ? `${path}.${name}` : name);
  for (const { fields, check } of all) {
    const isInvalid = (name: string) =>
      problems.some((problem) => `${problem.path}.`.startsWith(`${within(name)}.`));
    const problem = fields.some(isInvalid) ? undefined : check(input);
    if (problem) problems.push({ ...problem, path: within(problem.path) });
  }
}

/** Adds the problems found by the rules of an instance and all instances nested in it. */
export function addProblemsOfRules(input: unknown, path: string, problems: InputProblem[]): void {
  if (typeof input !== "object" || input === null) return;
  const { constructor: type = Object } = Object.getPrototypeOf(input) ?? {};
  // JSON values have no rules, and may be large.
  if (type === Object) return;
  for (const [name, value] of Object.entries(input))
    if (!isApart(type, name)) addProblemsOfRules(value, path ? `${path}.${name}` : name, problems);
  const all = rules.get(type);
  if (all) addRuleProblems(all, input as Record<string, unknown>, path, problems);
}
