import { z } from "zod";
import { jsonProblem } from "../../../common/json-problem";
import { suggestion } from "../../../common/suggest";
import { MAX_TOPICS } from "../../contacts/contact.limits";
import {
  DOCUMENT_MAX_BYTES,
  MAX_DATA_MEMBERS,
  MAX_LINES_OF_MESSAGE,
  MAX_LOCALES,
  MAX_REPORTED,
  MAX_SITUATIONS,
  MAX_TEMPLATES,
  MAX_TESTS,
  TESTED_DOCUMENT_MAX_BYTES,
} from "../configuration.limits";
import { EFFECTS } from "./effect-format";
import { type ConfigurationDocument, documentFormat, fullSituationOf, SITUATIONS } from "./format";
import { type Problem, pathOf, problemAt } from "./problem";
import { fullTemplateOf, TEMPLATES } from "./template-format";
import { type TestDocument, tests } from "./tests-format";

/** Disables Zod's JIT compiler, so that no request has to wait while Zod generates code. */
const OPTIONS = { jitless: true };

/** Checks a document's structure. Returns the document, or at most `MAX_REPORTED` problems. */
export function parseDocument(value: unknown): ConfigurationDocument | Problem[] {
  const outOfBounds = storageProblem(value);
  if (outOfBounds !== undefined) return [{ path: "", message: outOfBounds }];
  const unusable = unusableNames(value);
  if (unusable.length > 0) return unusable.slice(0, MAX_REPORTED);
  const { tests: given } = (value ?? {}) as { tests?: unknown };
  // Each test is parsed on its own, because Zod spreads a list's issues into arguments and could overflow the stack.
  const apart: readonly unknown[] = Array.isArray(given) && given.length <= MAX_TESTS ? given : [];
  const whole = apart.length === 0 ? value : { ...(value as object), tests: [] };
  const { data, error } = documentFormat.safeParse(whole, OPTIONS);
  const problems = problemsWith(error?.issues, [], value, documentFormat);
  const parsedTests: TestDocument[] = [];
  for (const [index, test] of apart.entries()) {
    if (problems.length >= MAX_REPORTED) break;
    const parsed = tests.element.safeParse(test, OPTIONS);
    if (parsed.success) parsedTests.push(parsed.data);
    problems.push(...problemsWith(parsed.error?.issues, ["tests", index], value, tests.element));
  }
  if (data === undefined || problems.length > 0) return problems.slice(0, MAX_REPORTED);
  return apart.length === 0 ? data : { ...data, tests: parsedTests };
}

/** Returns the problem with a document that is too large or cannot be stored; otherwise undefined. */
export function storageProblem(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "tests"))
    return jsonProblem(value, DOCUMENT_MAX_BYTES);
  const { tests: _, ...rest } = value as { tests: unknown };
  const problem = jsonProblem(rest, DOCUMENT_MAX_BYTES);
  return problem === undefined
    ? jsonProblem(value, TESTED_DOCUMENT_MAX_BYTES)
    : `${problem}, excluding its tests`;
}

/** Finds member names that Zod would drop instead of rejecting. */
function unusableNames(value: unknown, path: readonly PropertyKey[] = []): Problem[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = [...path, Array.isArray(value) ? Number(name) : name];
    return name === "__proto__"
      ? [{ path: pathOf(at), message: "is not an allowed name" }]
      : unusableNames(member, at);
  });
}

/** Finds objects with too many members, which Zod cannot limit. Their structure is checked as well. */
export function tooManyMembers({
  situations = {},
  templates = {},
  policy,
}: ConfigurationDocument): Problem[] {
  const check = (path: readonly string[], members: object, max: number) =>
    Object.keys(members).length > max ? [problemAt(path, `must have at most ${max} members`)] : [];
  return [
    ...check(["situations"], situations, MAX_SITUATIONS),
    ...check(["templates"], templates, MAX_TEMPLATES),
    ...check(["policy", "topics"], policy?.topics ?? {}, MAX_TOPICS),
    ...Object.entries(situations).flatMap(([type, situation]) => {
      const { data } = fullSituationOf(situation);
      return check(["situations", type, ...(data === situation ? [] : ["data"])], data, MAX_DATA_MEMBERS);
    }),
    ...Object.entries(templates).flatMap(([name, template]) =>
      check(["templates", name, "locales"], fullTemplateOf(template).locales ?? {}, MAX_LOCALES),
    ),
  ];
}

/** Max member names of an unknown effect to compare with the known kinds of effects. */
const MAX_MISSPELLED = 10;

type Issue = z.core.$ZodIssue;

/** Converts a part's first Zod issues to problems; see `problemsOf`. */
const problemsWith = (
  issues: readonly Issue[] = [],
  ...part: [parents: readonly PropertyKey[], root: unknown, format: z.ZodType]
): Problem[] =>
  issues
    .slice(0, MAX_REPORTED)
    .filter((issue, index) => !isOfMistyped(issue, issues[index - 1]))
    .flatMap((issue) => problemsOf(issue, ...part));

/** True for the length of a value of the wrong type, which Zod also checks. */
const isOfMistyped = (issue: Issue, before: Issue | undefined): boolean =>
  before?.code === "invalid_type" && pathOf(before.path) === pathOf(issue.path);

/** @param format the format of the part at `parents` */
function problemsOf(
  issue: Issue,
  parents: readonly PropertyKey[],
  root: unknown,
  format: z.ZodType,
): Problem[] {
  const path = [...parents, ...issue.path];
  const problem = (message: string) => [problemAt(path, message)];
  if (issue.code !== "unrecognized_keys" && isMissing(path, root)) return problem("is required");
  switch (issue.code) {
    case "unrecognized_keys": {
      const known = membersAt(format, issue.path, valueAt(root, path));
      return issue.keys
        .slice(0, MAX_REPORTED)
        .map((key) => problemAt([...path, key], "is not a member of the format", [key, known]));
    }
    case "invalid_union":
      return problemsOfUnion(path, root);
    case "invalid_key":
      return issue.issues
        .slice(0, 1)
        .flatMap((each) => problemsOf({ ...each, path: [] }, path, root, format))
        .map((each) => ({ ...each, message: `has an invalid name: it ${each.message}` }));
    case "invalid_type":
      return problem(`must be ${EXPECTED[issue.expected] ?? issue.expected}`);
    case "invalid_value":
      return problem(`must be ${issue.values.map((each) => JSON.stringify(each)).join(" or ")}`);
    case "too_big":
      return problem(
        `must ${BOUNDS[issue.origin] ?? "be"} at most ${issue.maximum}${unitOf(issue.origin, issue.maximum)}`,
      );
    case "too_small":
      return problem(
        `must ${BOUNDS[issue.origin] ?? "be"} at least ${issue.minimum}${unitOf(issue.origin, issue.minimum)}`,
      );
    default:
      return problem(issue.message);
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};
const BOUNDS: Readonly<Record<string, string>> = { string: "have", array: "have" };
const UNITS: Readonly<Record<string, string>> = { string: " character", array: " item" };

function unitOf(origin: string, count: number | bigint): string {
  const unit = UNITS[origin];
  if (unit === undefined) return "";
  return count === 1 ? unit : `${unit}s`;
}

const KINDS = Object.keys(EFFECTS) as (keyof typeof EFFECTS)[];

/** Determines an effect's kind by its members. */
const kindOf = (value: unknown): keyof typeof EFFECTS | undefined =>
  typeof value === "object" && value !== null ? KINDS.find((each) => Object.hasOwn(value, each)) : undefined;

/** Returns the format intended for a value of a union type; undefined if it is unclear. */
function meantBy(path: readonly PropertyKey[], value: unknown): z.ZodType | undefined {
  if (isMemberOf("situations", path)) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const { data } = value as { data?: unknown };
    return typeof data === "object" && data !== null ? SITUATIONS.full : SITUATIONS.data;
  }
  if (isMemberOf("templates", path)) {
    if (typeof value === "string") return TEMPLATES.text;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? TEMPLATES.full : undefined;
  }
  const kind = kindOf(value);
  return kind && EFFECTS[kind];
}

const isMemberOf = (part: "situations" | "templates", path: readonly PropertyKey[]): boolean =>
  path.length === 2 && path[0] === part;

/** Returns the problems with a value of a union type, validated against its intended format. */
function problemsOfUnion(path: readonly PropertyKey[], root: unknown): Problem[] {
  const value = valueAt(root, path);
  const format = meantBy(path, value);
  if (format !== undefined)
    return problemsWith(format.safeParse(value, OPTIONS).error?.issues, path, root, format);
  const problem = (message: string) => [problemAt(path, message)];
  if (isMemberOf("templates", path)) return problem("must be a string, or an object with a text");
  if (isMemberOf("situations", path)) return problem("must be an object");
  if (path.at(-1) === "on") return problem("must be * or the type of a situation");
  if (path.at(-1) === "per")
    return problem("must be contact, conversation, or an expression that returns a string");
  if (path.at(-1) === "line")
    return problem(`must be the name of a line, or a list of at most ${MAX_LINES_OF_MESSAGE} names`);
  if (path.at(-2) === "data")
    return problem("must be a template, a number, true, false, null, or a list of templates");
  const names =
    typeof value === "object" && value !== null ? Object.keys(value).slice(0, MAX_MISSPELLED) : [];
  const meant = names.map((name) => suggestion(name, KINDS)).find((text) => text !== "") ?? "";
  return problem(`must have one of ${KINDS.join(", ")}${meant}`);
}

/** Returns the names of the members that a format allows in a value at a path. */
function membersAt(format: z.ZodType, path: readonly PropertyKey[], value: unknown): string[] {
  let at: unknown = format;
  for (const name of [...path, undefined]) {
    while (at instanceof z.ZodOptional || at instanceof z.ZodNullable) at = at.unwrap();
    if (name === undefined) break;
    if (at instanceof z.ZodObject) at = at.shape[String(name)];
    else if (at instanceof z.ZodArray) at = at.element;
    else if (at instanceof z.ZodRecord) at = at.valueType;
    else return [];
    // A template may be a string or an object; only the object has members.
    if (at instanceof z.ZodUnion) at = onlyObject(at.options) ?? at;
  }
  const kind = at instanceof z.ZodUnion ? kindOf(value) : undefined;
  if (kind !== undefined) at = EFFECTS[kind];
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function onlyObject(formats: readonly unknown[]): unknown {
  const objects = formats.filter((each) => each instanceof z.ZodObject);
  return objects.length === 1 ? objects[0] : undefined;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    root,
  );
}

const isMissing = (path: readonly PropertyKey[], root: unknown): boolean =>
  path.length > 0 && valueAt(root, path) === undefined;
