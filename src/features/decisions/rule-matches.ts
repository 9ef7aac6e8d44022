import { In } from "typeorm";
import { groupBy } from "../../common/group-by";
import type { Timestamp } from "../../common/time";
import { derivedId } from "../../common/uuid";
import { coalesceInTx, coalesceKeysInTx } from "../../database/coalesce-in-tx";
import { padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import type { CompiledConfiguration } from "../configuration/document/compiled-configuration";
import { type OnceLimit, onceLimits } from "../configuration/document/evaluate";
import { periodMs } from "../configuration/document/period";
import type { DecisionInput } from "../configuration/document/read-situation";
import { Conversation, ConversationState } from "../conversations/conversation.entity";
import { Decision } from "./decision.entity";
import type { Snapshot } from "./decision-record";
import type { EffectExplanation } from "./explanation";
import { isLoop } from "./loop-gate";
import { hasStatus, wasAsked } from "./outcome";
import { isHandedOff, type Plan } from "./plan";
import { RuleMatch } from "./rule-match.entity";

/** IDs of the agent, contact and conversations for which `once` can limit a rule's matches. */
interface Subjects {
  agent: string;
  /** Empty if there is no contact. */
  contact: readonly string[];
  /** Without a conversation, the contact's ID stands for it. */
  conversation: readonly string[];
}

/** IDs of a decision's agent, contact and conversation. */
type About = Pick<Decision, "agentId" | "contactId" | "conversationId">;

const subjectsOf = (
  { agentId, contactId, conversationId }: About,
  open: readonly Pick<Conversation, "id">[] = [],
): Subjects => {
  const contact = contactId === null ? [] : [contactId];
  const conversation = conversationId === null ? contact : [conversationId];
  return { agent: agentId, contact, conversation: [...conversation, ...open.map(({ id }) => id)] };
};

/** A rule with `once`, and the key under which its last match is stored. */
type Count = OnceLimit & Pick<RuleMatch, "subjectId"> & { name: string };

/** Returns rules with `once` and their keys; omits rules without a subject, such as a contact. */
function countsOf(
  configuration: CompiledConfiguration,
  input: Omit<DecisionInput, "spent">,
  subjects: Subjects,
): Count[] {
  return onceLimits(configuration, input).flatMap((limit) => {
    const { per, group, ruleId } = limit;
    const [contact = subjects.agent] = subjects.contact;
    const counted = typeof per === "string" ? subjects[per] : [derivedId(`once ${per.text}`, contact)];
    return counted.map((subject) => {
      const subjectId = group === null ? subject : derivedId("group", subject);
      return { ...limit, subjectId, name: group ?? ruleId };
    });
  });
}

/**
 * Returns the IDs of the rules that have matched too recently, in order. Without a conversation, the contact's open
 * conversations count, because an earlier match may have opened one on another line than the default line.
 */
export async function spentRules(
  tx: Tx,
  configuration: CompiledConfiguration,
  input: Omit<DecisionInput, "spent">,
  about: About,
): Promise<string[]> {
  const { situation, now } = input;
  const { contactId, conversationId } = about;
  const rules = configuration.rulesFor(situation.type);
  const isPerConversation = rules.some(({ document: { once } }) => once?.per === "conversation");
  const isElsewhere = isPerConversation && conversationId === null && contactId !== null;
  const open = isElsewhere ? await openWith(tx, contactId) : undefined;
  const counts = countsOf(configuration, input, subjectsOf(about, open));
  const spent = await Promise.all(
    counts.map(async ({ ruleId, subjectId, name, within }) => {
      const match = { subjectId, ruleId: name };
      const times = await Promise.all([match, whileAsked(match)].map((each) => matchedAt(tx, nameOf(each))));
      const last = Math.max(...times.flatMap((time) => (time === undefined ? [] : Date.parse(time))));
      return Date.parse(now) - last < (periodMs(within) ?? 0) ? [ruleId] : [];
    }),
  );
  return [...new Set(spent.flat())];
}

const openWith = coalesceKeysInTx(async (tx: Tx, contactIds) => {
  const where = { contactId: In(contactIds), state: ConversationState.open };
  const open = await tx.find(Conversation, { select: { id: true, contactId: true }, where });
  return groupBy(open, ({ contactId }) => contactId);
});

/** Returns a match's temporary row during a model call; the previous match keeps its own row. */
const whileAsked = <Row extends Pick<RuleMatch, "subjectId">>(match: Row): Row => ({
  ...match,
  subjectId: derivedId("asked", match.subjectId),
});

const nameOf = ({ subjectId, ruleId }: Pick<RuleMatch, "subjectId" | "ruleId">) => `${subjectId} ${ruleId}`;

const matchedAt = coalesceKeysInTx(async (tx: Tx, names) => {
  const pairs = names.map((name) => name.split(/ (.*)/s) as [string, string]);
  const subjectIds = [...new Set(pairs.map(([subjectId]) => subjectId))];
  const ruleIds = [...new Set(pairs.map(([, ruleId]) => ruleId))];
  const matches = await tx
    .createQueryBuilder(RuleMatch, "match")
    .where("match.subject_id IN (:...subjectIds)", { subjectIds })
    .andWhere("match.rule_id IN (:...ruleIds)", { ruleIds })
    .getMany();
  return new Map(matches.map((match) => [nameOf(match), match.matchedAt]));
});

/** A decision's rules with `once`, and the subjects of their matches. */
export interface Matches {
  configuration: CompiledConfiguration;
  input: DecisionInput;
  subjects: Subjects;
  ruleIds: ReadonlySet<string>;
}

/** Records the matches of rules with `once`; before a model call (`isAsked`), in temporary rows. */
export async function recordMatches(tx: Tx, matches: Matches, isAsked = false): Promise<void> {
  const rows = rowsOf(matches);
  if (rows.length > 0) await storeMatches(tx, isAsked ? rows.map(whileAsked) : rows);
}

const rowsOf = ({ configuration, input, subjects, ruleIds }: Matches) => {
  const rows = countsOf(configuration, input, subjects)
    .filter(({ ruleId }) => ruleIds.has(ruleId))
    .map(({ subjectId, name }) => ({ subjectId, ruleId: name, matchedAt: input.now as Timestamp }));
  return [...new Map(rows.map((row) => [nameOf(row), row])).values()];
};

type Match = Pick<RuleMatch, "subjectId" | "ruleId" | "matchedAt">;

const storeMatches = coalesceInTx(async (tx: Tx, matches: readonly Match[][]) => {
  await tx.upsert(RuleMatch, matches.flat(), ["subjectId", "ruleId"]);
  return matches.map(() => undefined);
});

const deleteMatches = coalesceInTx(async (tx: Tx, matches: readonly Match[][]) => {
  const rows = padded(matches.flat());
  await tx.query(
    `delete from rule_match where (subject_id, rule_id, matched_at) in (values ${placeholders(rows.length, 3)})`,
    rows.flatMap(({ subjectId, ruleId, matchedAt }) => [subjectId, ruleId, matchedAt]),
  );
  return matches.map(() => undefined);
});

/** Returns a decision's rule matches for its current contact and conversation. */
export const matchesOf = (
  decision: Decision,
  configuration: CompiledConfiguration,
  snapshot: Snapshot,
  ruleIds: ReadonlySet<string>,
): Matches => ({
  configuration,
  input: { situation: decision.situation, ...snapshot },
  subjects: subjectsOf(decision),
  ruleIds,
});

/** Deletes the matches recorded before a model call, because the decision is about to be completed. */
export async function forget(
  tx: Tx,
  decision: Decision,
  configuration: CompiledConfiguration,
): Promise<void> {
  const { basis, snapshot, effects } = decision;
  if (basis === null || snapshot === null) return;
  const ruleIds = new Set(effects.flatMap(({ ruleId }) => ruleId ?? []));
  const matches = matchesOf(decision, configuration, snapshot, ruleIds);
  const rows = rowsOf(matches).map(whileAsked);
  if (rows.length > 0) await deleteMatches(tx, rows);
}

/**
 * Returns the rules whose matches count for `once`: at least one of their effects was applied, or there was
 * nothing to change. A model call counts only if the model chose to do nothing.
 */
export function inEffect(planned: Matched, effects: readonly EffectExplanation[]): ReadonlySet<string> {
  const matched = [...matchedIn(planned)].filter((id) => {
    const own = effects.filter(({ ruleId }) => ruleId === id);
    if (own.length === 0) return !isHandedOff(planned.gates);
    const chosen = own.filter((effect) => !wasAsked(effect));
    const counted = chosen.length === 0 ? own : chosen;
    return counted.some(hasStatus("done")) || counted.every(hasStatus("unchanged"));
  });
  return new Set(matched);
}

/** Returns the rules that matched; none if a loop holds back their messages. */
export const matchedIn = ({ matched, gates }: Matched): ReadonlySet<string> =>
  new Set(isLoop(gates) ? [] : matched);

type Matched = Pick<Plan, "matched" | "gates">;
