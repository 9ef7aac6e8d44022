import { In } from "typeorm";
import type { Timestamp } from "../../common/time";
import { coalesceInTx, coalesceKeysInTx } from "../../database/coalesce-in-tx";
import type { Tx } from "../../database/unit-of-work";
import type { Agent } from "../agents/agent.entity";
import type { CompiledConfiguration } from "../configuration/document/compiled-configuration";
import { periodMs } from "../configuration/document/period";
import { MESSAGE_RECEIVED } from "../configuration/document/shapes";
import type { Conversation } from "../conversations/conversation.entity";
import { lineById } from "../conversations/destination";
import { Message, MessageDirection } from "../messages/message.entity";
import type { Decision, Situation } from "./decision.entity";
import type { Snapshot } from "./decision-record";
import { readSurroundings } from "./loop";
import type { Participants } from "./participants";
import { RuleMatch } from "./rule-match.entity";

/** The subjects that a rule with `once` counts for. */
type Subjects = Readonly<Record<"contact" | "conversation", string | undefined>>;

/** The inputs of a snapshot besides the participants. */
interface SnapshotContext {
  agent: Pick<Agent, "slug" | "name">;
  configuration: CompiledConfiguration;
  situation: Situation;
  now: Timestamp;
}

/** Reads the data for conditions and templates. */
export async function takeSnapshot(
  tx: Tx,
  { contact, conversation, line: known }: Participants,
  { agent: { slug, name }, configuration, situation, now }: SnapshotContext,
): Promise<Snapshot> {
  const isReply = situation.type === MESSAGE_RECEIVED && conversation !== null;
  const contactId = contact?.id ?? null;
  const addressId = isReply ? conversation.addressId : null;
  const reachedAt = conversation?.addressId ?? null;
  const { tags, answers, isOptedOut } = await readSurroundings(tx, { contactId, addressId, reachedAt, now });
  const line = conversation && (known ?? (await lineById(tx, conversation.lineId)));
  const subjects = { contact: contact?.id, conversation: conversation?.id };
  return {
    contact: contact && {
      ref: contact.ref,
      name: contact.name,
      locale: contact.locale,
      timezone: contact.timezone,
      attributes: contact.attributes,
      tags: tags.toSorted(),
    },
    conversation: conversation && {
      id: conversation.id,
      line: line?.name ?? "",
      handler: conversation.handler,
      state: conversation.state,
    },
    message: await receivedMessage(tx, situation, conversation),
    agent: { slug, name },
    now,
    spent: await spentRules(tx, configuration, situation.type, subjects, now),
    ...(isReply && { answers }),
    ...(isOptedOut && { isOptedOut }),
  };
}

/** Combines the messages of a situation: their texts as lines, and the last number. */
async function receivedMessage(
  tx: Tx,
  { type, data }: Situation,
  conversation: Conversation | null,
): Promise<Snapshot["message"]> {
  const ids = type === MESSAGE_RECEIVED && Array.isArray(data.messageIds) ? data.messageIds : [];
  if (ids.length === 0 || conversation === null) return null;
  const messages = await inboundMessages(tx, { ids, conversationId: conversation.id });
  const sequence = messages.at(-1)?.sequence;
  return sequence == null ? null : { text: messages.map(({ text }) => text).join("\n"), sequence };
}

/** The inbound messages of a conversation among the given IDs: a caller may name any messages in a situation. */
const inboundMessages = coalesceInTx(
  async (tx: Tx, wanted: readonly { ids: readonly string[]; conversationId: string }[]) => {
    const messages = await tx.find(Message, {
      where: { id: In(wanted.flatMap(({ ids }) => ids)), direction: MessageDirection.inbound },
      order: { sequence: "ASC" },
    });
    return wanted.map(({ ids, conversationId }) =>
      messages.filter((each) => each.conversationId === conversationId && ids.includes(each.id)),
    );
  },
);

/** The IDs of the rules for situations of a type that have matched too recently, in order. */
async function spentRules(
  tx: Tx,
  configuration: CompiledConfiguration,
  type: string,
  subjects: Subjects,
  now: Timestamp,
): Promise<string[]> {
  const limited = configuration.rulesFor(type).flatMap(({ document: { id, once } }) => {
    const subjectId = once && subjects[once.per];
    return once === undefined || subjectId === undefined ? [] : [{ id, subjectId, within: once.within }];
  });
  const spent = await Promise.all(
    limited.map(async ({ id, subjectId, within }) => {
      const last = await matchedAt(tx, nameOf({ subjectId, ruleId: id }));
      return last !== undefined && Date.parse(now) - Date.parse(last) < (periodMs(within) ?? 0) ? [id] : [];
    }),
  );
  return spent.flat();
}

const nameOf = ({ subjectId, ruleId }: Pick<RuleMatch, "subjectId" | "ruleId">) => `${subjectId} ${ruleId}`;

/** When a rule last matched for a subject. */
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

/** Forgets the matches that were recorded for a decision when it asked a model: they were none, after all. */
export async function forgetMatches(
  tx: Tx,
  { contactId, conversationId, snapshot }: Pick<Decision, "contactId" | "conversationId" | "snapshot">,
  ruleIds: readonly string[],
): Promise<void> {
  const subjectIds = [contactId, conversationId].filter((id) => id !== null);
  if (ruleIds.length === 0 || subjectIds.length === 0 || snapshot === null) return;
  // Earlier matches of these rules had expired when this one was recorded.
  await tx.delete(RuleMatch, {
    subjectId: In(subjectIds),
    ruleId: In([...ruleIds]),
    matchedAt: snapshot.now as Timestamp,
  });
}

/** Records the matches of rules with `once`. */
export async function recordMatches(
  tx: Tx,
  configuration: CompiledConfiguration,
  type: string,
  { matched, subjects, now }: { matched: ReadonlySet<string>; subjects: Subjects; now: Timestamp },
): Promise<void> {
  const rows = configuration.rulesFor(type).flatMap(({ document: { id: ruleId, once } }) => {
    const subjectId = once && matched.has(ruleId) ? subjects[once.per] : undefined;
    return subjectId === undefined ? [] : [{ subjectId, ruleId, matchedAt: now }];
  });
  if (rows.length > 0) await storeMatches(tx, rows);
}

const storeMatches = coalesceInTx(
  async (tx: Tx, matches: readonly Pick<RuleMatch, "subjectId" | "ruleId" | "matchedAt">[][]) => {
    await tx.upsert(RuleMatch, matches.flat(), ["subjectId", "ruleId"]);
    return matches.map(() => undefined);
  },
);
