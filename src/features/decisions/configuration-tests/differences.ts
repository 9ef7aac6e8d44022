// One file, because all sentences about a failed test show values, reads and obstacles in the same way.

import { instantOf } from "../../../common/instant";
import { excerpt } from "../../../credentials/redact-tokens";
import type { InvalidInput } from "../../../errors";
import { PROBLEM_MESSAGE_MAX_LENGTH } from "../../configuration/configuration.limits";
import type { ConfigurationTestDifference } from "../../configuration/configuration.outputs";
import type { CompiledConfiguration } from "../../configuration/document/compiled-configuration";
import { pathOf } from "../../configuration/document/problem";
import { ANY_SITUATION } from "../../configuration/document/shapes";
import type { TestDocument } from "../../configuration/document/tests-format";
import type { ClauseExplanation, RuleExplanation } from "../explanation";
import type { Plan } from "../plan";
import type { Assumed, EffectOutcome } from "./assumed-results";

interface Compared {
  configuration: CompiledConfiguration;
  test: TestDocument;
  index: number;
  planned: Plan;
  assumed: Assumed;
  outcome: string;
  expect: TestDocument["expect"];
}

type Path = readonly PropertyKey[];

/** Max length of a string or value in a difference (UTF-16 code units). */
const SHOWN_MAX_LENGTH = 120;

const reported = (message: string): string => excerpt(message, PROBLEM_MESSAGE_MAX_LENGTH).toWellFormed();

/** Returns the difference for a test whose situation the configuration rejects. */
export const rejection = (
  { id }: TestDocument,
  index: number,
  { problems }: InvalidInput,
): ConfigurationTestDifference => ({
  testId: id,
  path: pathOf(["tests", index, "situation"]),
  message: reported(
    `the situation is rejected: ${problems.map(({ path, message }) => `${path} ${message}`).join(", ")}`,
  ),
  ruleId: null,
  clause: null,
});

/** Compares a decision with its test's expectations. */
export function differencesOf(compared: Compared): ConfigurationTestDifference[] {
  const { test, index, planned, expect, outcome } = compared;
  const difference = (
    path: Path,
    message: string,
    { ruleId, clause = null }: { ruleId: string | null; clause?: number | null } = planned,
  ): ConfigurationTestDifference => ({
    testId: test.id,
    path: pathOf(["tests", index, "expect", ...path]),
    message: reported(message),
    ruleId,
    clause,
  });
  const differences: ConfigurationTestDifference[] = [];
  if (expect.rule !== undefined && expect.rule !== planned.ruleId) {
    const { message, ...reason } = whyNot(expect.rule, compared);
    differences.push(difference(["rule"], message, reason));
  }
  if (expect.outcome !== undefined && expect.outcome !== outcome)
    differences.push(
      difference(
        ["outcome"],
        `expected the outcome ${expect.outcome}, but ${decider(planned)} had the outcome ${outcome}${obstacles(compared)}`,
      ),
    );
  for (const { path, message, ruleId } of [
    ...sendDifferences(compared),
    ...tagDifferences(compared),
    ...timerDifferences(compared),
  ])
    differences.push(difference(path, message, { ruleId }));
  return differences;
}

/** Returns the rule that decided, or `otherwise`, as the subject of a sentence. */
const decider = ({ ruleId }: Pick<Plan, "ruleId">) => (ruleId === null ? "otherwise" : `rule ${ruleId}`);

/** Explains why the expected rule did not decide. */
function whyNot(
  expected: string | null,
  { configuration, test, planned }: Compared,
): { message: string; ruleId: string | null; clause: number | null } {
  const actual = planned.ruleId === null ? "otherwise applied" : `rule ${planned.ruleId} decided`;
  if (expected === null)
    return { message: `expected otherwise, but ${actual}`, ruleId: planned.ruleId, clause: null };
  const because = (reason: string, clause: number | null = null) => ({
    message: `expected rule ${expected}, but ${reason}, and ${actual}`,
    ruleId: expected,
    clause,
  });
  const tried = planned.rules.find(({ ruleId }) => ruleId === expected);
  if (tried === undefined) {
    const rule = configuration.document.rules?.find(({ id }) => id === expected);
    const isOther = rule !== undefined && rule.on !== ANY_SITUATION && rule.on !== test.situation.type;
    return isOther
      ? because(`${expected} is for ${rule.on}, not for ${test.situation.type}`)
      : {
          message: `expected rule ${expected}, but ${actual} before it`,
          ruleId: planned.ruleId,
          clause: null,
        };
  }
  if (tried.spent) return because(`${expected} has matched too recently`);
  if (tried.matched) return because(`${expected} continues`);
  return because(falseClause(tried), tried.clauses.length);
}

function falseClause({ ruleId, clauses }: RuleExplanation): string {
  const last = clauses.at(-1);
  if (last === undefined) return `${ruleId} did not match`;
  const name = `clause ${clauses.length} of ${ruleId} (${shown(last.source)})`;
  return last.error === null
    ? `${name} was false${reads(last)}`
    : `${name} could not be evaluated (${last.error.message.replace(/\.$/, "")})`;
}

const reads = ({ read }: ClauseExplanation): string =>
  read.length === 0
    ? ""
    : ` because ${read
        .slice(0, 5)
        .map(({ path, value, isCut }) => `${path} is ${isCut ? "…" : shown(JSON.stringify(value))}`)
        .join(" and ")}`;

/** Describes the first effect that failed or was held back; returns an empty string if there is none. */
function obstacles({ assumed }: Compared): string {
  const [first] = assumed.effects.filter(({ error }) => error !== undefined);
  return first === undefined ? "" : `: ${obstacle(first)}`;
}

const obstacle = ({ effect, status, error }: EffectOutcome): string =>
  `${effect.kind} of ${decider(effect)} ${status === "failed" ? "failed" : "was skipped"} (${error?.code}: ${error?.message.replace(/\.$/, "")})`;

interface PartDifference {
  path: Path;
  message: string;
  ruleId: string | null;
}

function sendDifferences(compared: Compared): PartDifference[] {
  const { expect, assumed, planned } = compared;
  if (expect.sends === undefined) return [];
  const sent = assumed.effects.flatMap(({ effect, status }) =>
    effect.kind === "send" && status === "done" ? [effect] : [],
  );
  const differences: PartDifference[] = [];
  const add = (path: Path, message: string, { ruleId }: Pick<Plan, "ruleId">) =>
    differences.push({ path: ["sends", ...path], message, ruleId });
  for (const [at, { template, text, contains, subject, line }] of expect.sends.entries()) {
    const found = sent[at];
    if (found === undefined) {
      const meant = template ? ` with the template ${template}` : "";
      const message = `expected a message${meant}, but ${decider(planned)} sent ${countOf(sent.length)}`;
      add([at], `${message}${obstacles(compared)}`, planned);
      continue;
    }
    const by = decider(found);
    const compare = (member: string, expected: string | null | undefined, actual: string | null) => {
      const [wanted, given] = [visible(expected ?? null), visible(actual)];
      if (expected === undefined || wanted === given) return;
      const message = `expected the ${member} ${quoted(wanted, given)}, but ${by} sent ${quoted(given, wanted)}`;
      add([at, member], message, found);
    };
    compare("template", template, found.template);
    compare("text", text, found.text);
    if (contains !== undefined && !visible(found.text)?.includes(visible(contains))) {
      const message = `expected a text that contains ${quoted(contains)}, but ${by} sent ${quoted(found.text)}`;
      add([at, "contains"], message, found);
    }
    compare("subject", subject, found.subject ?? null);
    const { lines = [] } = found;
    if (line == null || !lines.includes(line)) compare("line", line, lines[0] ?? found.line);
  }
  const [more] = sent.slice(expect.sends.length);
  if (more !== undefined) {
    const wanted = countOf(expect.sends.length);
    add([], `expected ${wanted}, but ${decider(more)} also sent ${quoted(more.text)}`, more);
  }
  return differences;
}

/** Unifies spaces and removes direction marks, because Intl inserts ones that cannot be seen. */
const visible = <Text extends string | null>(text: Text): Text =>
  (text?.replace(/\p{Zs}/gu, " ").replace(/\p{Bidi_Control}/gu, "") ?? null) as Text;

const countOf = (messages: number) =>
  messages === 0 ? "no message" : messages === 1 ? "one message" : `${messages} messages`;

function tagDifferences({ expect, assumed, planned }: Compared): PartDifference[] {
  if (expect.tags === undefined) return [];
  const wanted = [...new Set(expect.tags)].sort();
  const missing = wanted.filter((tag) => !assumed.tags.includes(tag));
  const other = assumed.tags.filter((tag) => !wanted.includes(tag));
  if (missing.length + other.length === 0) return [];
  const message = `expected the tags ${listed(wanted)}, but after ${decider(planned)} they were ${listed(assumed.tags)}`;
  return [{ path: ["tags"], message, ruleId: planned.ruleId }];
}

function timerDifferences({ expect, assumed, planned }: Compared): PartDifference[] {
  if (expect.timers === undefined) return [];
  const { timers } = assumed;
  const keys = new Set(expect.timers.map(({ key }) => key));
  const other = [...timers.keys()].filter((key) => !keys.has(key));
  const by = decider(planned);
  const differences: PartDifference[] = [];
  const add = (path: Path, message: string) =>
    differences.push({ path: ["timers", ...path], message, ruleId: planned.ruleId });
  for (const [at, { key, situation, dueAt }] of expect.timers.entries()) {
    const found = timers.get(key);
    const timer = `the timer ${quoted(key)}`;
    if (found === undefined) {
      const are = timers.size === 0 ? "no timer is waiting" : `only ${listed([...timers.keys()])} is waiting`;
      add([at], `expected ${timer}, but after ${by} ${are}`);
      continue;
    }
    const raises = found.situation ?? "an earlier situation";
    if (situation !== undefined && situation !== found.situation)
      add([at, "situation"], `expected ${timer} to raise ${situation}, but it raises ${raises}`);
    const isDue =
      dueAt === undefined ||
      (found.dueAt != null && instantOf(dueAt)?.getTime() === instantOf(found.dueAt)?.getTime());
    const due = found.dueAt ?? "an earlier time";
    if (!isDue) add([at, "dueAt"], `expected ${timer} at ${dueAt}, but it is due at ${due}`);
  }
  if (other.length > 0) {
    const wanted = keys.size === 0 ? "no timer" : `only the timers ${listed([...keys])}`;
    add([], `expected ${wanted}, but after ${by} ${listed(other)} is waiting`);
  }
  return differences;
}

const listed = (texts: readonly string[]): string => shown(texts.length === 0 ? "none" : texts.join(", "));

const shown = (text: string): string =>
  text.length > SHOWN_MAX_LENGTH ? `${text.slice(0, SHOWN_MAX_LENGTH).toWellFormed()}…` : text;

/** Returns a string as JSON, reduced to the part around its first difference from another string. */
function quoted(text: string | null, other: string | null = null): string {
  if (text === null) return "none";
  let at = 0;
  while (at < text.length && text[at] === other?.[at]) at += 1;
  const start = Math.max(0, at - SHOWN_MAX_LENGTH / 2);
  const part = text.slice(start, start + SHOWN_MAX_LENGTH).toWellFormed();
  return `${start > 0 ? "…" : ""}${JSON.stringify(part)}${start + SHOWN_MAX_LENGTH < text.length ? "…" : ""}`;
}
