import { setImmediate } from "node:timers/promises";
import { suggestion } from "../../../common/suggest";
import { excerpt } from "../../../credentials/redact-tokens";
import { MAX_REPORTED, PROBLEM_MESSAGE_MAX_LENGTH, PROBLEM_PATH_MAX_LENGTH } from "../configuration.limits";
import { CompiledConfiguration } from "./compiled-configuration";
import { type DataType, parseDataType } from "./data-types";
import { inDocumentOrder } from "./document-order";
import { templatesOf } from "./effect-format";
import { effectProblems, timerProblems } from "./effect-problems";
import { type ConfigurationDocument, effectsOf, fullSituationOf } from "./format";
import { parseDocument, tooManyMembers } from "./parse-document";
import { type Problem, problemAt } from "./problem";
import { RESERVED_SITUATIONS } from "./shapes";
import { soundParts } from "./sound-parts";
import { type Check, conditionChecks, linkChecks, pluralChecks, templateChecks } from "./source-problems";
import { testProblems } from "./test-problems";
import { tokenProblems } from "./token-problems";
import { topicProblems } from "./topic-problems";
import { type Surroundings, warningsOf } from "./warnings";

/** The result of a document check. */
export interface DocumentCheck {
  /** Problems that prevent publication. */
  problems: Problem[];
  /** Probable mistakes in the parts with a valid structure. */
  warnings: Problem[];
  /** The document, if its structure is valid. */
  document?: ConfigurationDocument;
}

/** Max time to check a document before yielding to other requests (ms). */
const TURN_MS = 10;

/** Creates a function that yields to other requests once the current time slice is used up. */
function takingTurns(): () => Promise<void> {
  let started = performance.now();
  return async () => {
    if (performance.now() - started <= TURN_MS) return;
    await setImmediate();
    started = performance.now();
  };
}

/**
 * Checks a whole document, also beside parts with an invalid structure, unless the report is full.
 * @param surroundings the agent's lines and model; undefined to check the document without an agent
 * @returns the problems and the warnings in document order, at most `MAX_REPORTED` of each
 */
export async function checkDocument(value: unknown, surroundings?: Surroundings): Promise<DocumentCheck> {
  const parsed = parseDocument(value);
  if (!Array.isArray(parsed))
    return { ...(await checkSound(parsed, [], value, surroundings)), document: parsed };
  await setImmediate();
  // A full report has no room for problems in other parts.
  const sound = parsed.length < MAX_REPORTED ? parseDocument(soundParts(value, parsed)) : parsed;
  return Array.isArray(sound)
    ? { problems: await reported(parsed, value), warnings: [] }
    : checkSound(sound, parsed, value, surroundings);
}

/**
 * Checks a document with a valid structure.
 * @param replaced problems whose parts were replaced to make it valid
 */
async function checkSound(
  document: ConfigurationDocument,
  replaced: readonly Problem[],
  value: unknown,
  surroundings?: Surroundings,
): Promise<DocumentCheck> {
  const configuration = new CompiledConfiguration(document, false);
  const problems = await problemsIn(configuration);
  const warnings = await run([
    () => warningsOf(document, surroundings, replaced),
    ...pluralChecks(configuration),
    ...(surroundings?.hasPublicUrl === false ? linkChecks(configuration) : []),
  ]);
  return {
    problems: await reported([...replaced, ...problems], value),
    warnings: await reported(warnings, value),
  };
}

/** Returns the problems in a document with a valid structure. */
function problemsIn(configuration: CompiledConfiguration): Promise<Problem[]> {
  const { document } = configuration;
  return run([
    () => tooManyMembers(document),
    () => tokenProblems(document),
    () => namesInUse(document),
    () => effectProblems(document),
    () => timerProblems(configuration),
    () => topicProblems(document),
    () => testProblems(document),
    ...conditionChecks(configuration),
    ...templateChecks(configuration),
  ]);
}

/** Runs checks, and yields to other requests between them. */
async function run(checks: readonly Check[]): Promise<Problem[]> {
  const found: Problem[][] = [];
  const rest = takingTurns();
  for (const check of checks) {
    found.push(check());
    await rest();
  }
  return found.flat();
}

/** Sorts problems, suggests similar known names, and limits the report, which may quote long parts. */
async function reported(problems: readonly Problem[], value: unknown): Promise<Problem[]> {
  const found: Problem[] = [];
  const rest = takingTurns();
  for (const { unknown, ...problem } of inDocumentOrder(problems, value).slice(0, MAX_REPORTED)) {
    const [name, known] = unknown ?? ["", []];
    const message = `${problem.message}${suggestion(name, [...known].slice(0, MAX_COMPARED))}`;
    found.push({
      ...problem,
      path: excerpt(problem.path, PROBLEM_PATH_MAX_LENGTH),
      message: excerpt(message, PROBLEM_MESSAGE_MAX_LENGTH),
    });
    await rest();
  }
  return found;
}

/** Max known names that an unknown name is compared with, because comparing long names is slow. */
const MAX_COMPARED = 500;

/** The types of members that can be situation keys. */
const KEY_TYPES: ReadonlySet<string> = new Set(["string", "int"]);

/** Finds duplicate rule ids, reserved situations, and missing templates and keys. */
function namesInUse(document: ConfigurationDocument): Problem[] {
  const { situations = {}, templates = {}, rules = [] } = document;
  const reserved = Object.keys(situations)
    .filter((type) => RESERVED_SITUATIONS.has(type))
    .map((type) => problemAt(["situations", type], "is reserved for a situation that the gateway raises"));
  const keys = Object.entries(situations).flatMap(([type, situation]) => {
    const { key, data } = fullSituationOf(situation);
    if (key === undefined) return [];
    const path = ["situations", type, "key"];
    if (!Object.hasOwn(data, key)) return problemAt(path, "is not declared", [key, Object.keys(data)]);
    const { base } = parseDataType(data[key] as DataType);
    return KEY_TYPES.has(base) ? [] : problemAt(path, "must be the name of a string or int member");
  });
  const repeated = rules.flatMap(({ id }, index) =>
    rules.findIndex((other) => other.id === id) < index
      ? problemAt(["rules", index, "id"], "is the id of another rule")
      : [],
  );
  const known = Object.keys(templates);
  const missing = effectsOf(document).flatMap(({ effect, path }) =>
    templatesOf(effect).flatMap(([member, name]) =>
      Object.hasOwn(templates, name)
        ? []
        : problemAt([...path, ...member], "is not the name of a template", [name, known]),
    ),
  );
  return [...reserved, ...keys, ...repeated, ...missing];
}
