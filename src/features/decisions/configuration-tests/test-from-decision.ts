import { GatewayError, InvalidInput } from "../../../errors";
import { NAME_MAX_LENGTH } from "../../configuration/configuration.limits";
import { canonicalJson } from "../../configuration/document/canonical-json";
import type { CompiledConfiguration } from "../../configuration/document/compiled-configuration";
import {
  MODEL_ERRORS,
  type TestDocument,
  type TestedSituation,
  testProblem,
} from "../../configuration/document/tests-format";
import type { Decision } from "../decision.entity";
import type { Snapshot } from "../decision-record";
import type { EffectExplanation } from "../explanation";
import { NOT_ASKED } from "../model/asking";
import { Pseudonyms } from "./pseudonyms";
import { type Decided, decide } from "./run-test";

/** The recorded parts of a decision from which a test is created. */
export type Recorded = Pick<Decision, "id" | "situation" | "explanation"> & { snapshot: Snapshot };

/**
 * Creates a test from a decision's situation, with the contact's name and addresses replaced. The test
 * expects the given configuration's decision.
 * @param addresses the contact's addresses
 * @throws GatewayError `conflict` if the agent would decide differently with these replaced, if
 *   the configuration rejects the situation, or if no test can describe it
 */
export function testFrom(
  configuration: CompiledConfiguration,
  recorded: Recorded,
  addresses: readonly string[],
): TestDocument {
  const { snapshot } = recorded;
  const tested = situationOf(configuration, recorded, new Pseudonyms(snapshot.contact, addresses));
  const decided = attempt(configuration, tested);
  const original = attempt(configuration, situationOf(configuration, recorded, undefined));
  if (shapeOf(decided) !== shapeOf(original))
    throw new GatewayError(
      "conflict",
      "The agent would decide differently with other names and addresses, so no test can be created.",
    );
  const test = { id: nameOf(recorded, decided), ...tested, expect: expectationOf(decided, tested) };
  const problem = testProblem(test);
  if (problem !== undefined)
    throw new GatewayError("conflict", `The decision cannot be turned into a valid test: ${problem}.`);
  return test;
}

function attempt(configuration: CompiledConfiguration, tested: TestedSituation): Decided {
  try {
    return decide(configuration, tested);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new GatewayError("conflict", `The configuration rejects the situation: ${error.message}`);
  }
}

/** Returns the parts of a decision that replacing names must not change: all except its texts. */
const shapeOf = ({ planned: { ruleId, effects }, outcome }: Decided): string =>
  canonicalJson([
    ruleId,
    outcome,
    effects.map(({ kind, ruleId, error, ...effect }) => [
      kind,
      ruleId,
      error?.code ?? null,
      "template" in effect ? effect.template : null,
    ]),
  ]);

/** Names a test after the rule and the end of the decision's ID or, for a dry run, the time. */
function nameOf({ id, snapshot }: Recorded, { planned: { ruleId } }: Decided): string {
  const suffix = id === null ? Date.parse(snapshot.now).toString(36) : id.slice(-8);
  const rule = (ruleId ?? "otherwise").slice(0, NAME_MAX_LENGTH - suffix.length - 1);
  return `${rule.replace(/[._-]$/, "")}-${suffix}`;
}

/** @param replaced the replacements; undefined to replace nothing */
function situationOf(
  { document }: CompiledConfiguration,
  { situation, snapshot, explanation }: Recorded,
  replaced: Pseudonyms | undefined,
): TestedSituation {
  const { now, contact, conversation, message, answers = 0, failed, agent, isHandedOff } = snapshot;
  const of = <Value>(value: Value): Value => (replaced === undefined ? value : replaced.of(value));
  const limited = (document.rules ?? []).filter(({ once }) => once !== undefined).map(({ id }) => id);
  const tested = withoutDefaults({
    now,
    situation: withoutDefaults({ type: situation.type, data: of(situation.data) }),
    contact:
      contact &&
      withoutDefaults({
        ...contact,
        ...replaced?.identity(contact),
        attributes: of(contact.attributes),
        handedOff: isHandedOff,
      }),
    conversation:
      conversation &&
      withoutDefaults({
        line: conversation.line,
        handler: conversation.handler !== "agent" && conversation.handler,
        state: conversation.state !== "open" && conversation.state,
      }),
    message: message && withoutDefaults({ ...of(message), answers: answers > 0 && answers }),
    failed:
      failed &&
      withoutDefaults({
        text: of(failed.text),
        subject: of(failed.subject),
        wasResent: failed.wasResent,
        unapproved: failed.isUnapproved,
      }),
    spent: snapshot.spent.filter((id) => limited.includes(id)),
    model: of(modelOf(explanation?.value.effects ?? [])),
    agent,
  });
  // Includes the contact even if all its members are empty, because the situation is about a contact.
  return { ...tested, ...(contact !== null && { contact: tested.contact ?? {} }) } as TestedSituation;
}

/** Omits empty members, because they are the defaults in tests. */
const withoutDefaults = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) =>
        value != null && value !== false && (typeof value !== "object" || Object.keys(value).length > 0),
    ),
  );

/** Returns a model's recorded answer, listed after the `ask` effect; undefined if no model was called. */
function modelOf(explained: readonly EffectExplanation[]): TestedSituation["model"] {
  const at = explained.findIndex(({ kind }) => kind === "ask");
  const { status, error } = explained[at] ?? {};
  if (status === "failed")
    return MODEL_ERRORS.flatMap((each) => (each === error?.code ? [{ error: each }] : []))[0];
  const isDryRun = error?.code === NOT_ASKED.error.code;
  // A gate held back the `ask` effect, and the same gate will hold it back in the test.
  if (status === undefined || (status === "skipped" && error != null && !isDryRun)) return undefined;
  const chosen = explained.slice(at + 1);
  const text = chosen.find(({ kind }) => kind === "send")?.text ?? null;
  const tags = chosen.flatMap((effect) => (effect.kind === "addTags" ? (effect.tags ?? []) : []));
  return {
    text,
    ...(tags.length > 0 && { tags: [...tags] }),
    ...(chosen.some(({ kind }) => kind === "handoff") && { handoff: true }),
  };
}

function expectationOf(
  { planned: { ruleId }, assumed: { effects, tags, timers }, outcome }: Decided,
  { contact }: TestedSituation,
): TestDocument["expect"] {
  const sends = effects.flatMap(({ effect, status }) => {
    if (effect.kind !== "send" || status !== "done") return [];
    const { template, text, subject, line, lines } = effect;
    const named = lines?.[0] ?? line;
    return [
      { template, text, ...(subject !== undefined && { subject }), ...(named !== null && { line: named }) },
    ];
  });
  return {
    rule: ruleId,
    outcome,
    sends,
    ...(contact !== undefined && { tags }),
    ...(timers.size > 0 && { timers: [...timers].map(([key, timer]) => ({ key, ...timer })) }),
  } as TestDocument["expect"];
}
