import { In } from "typeorm";
import { canonicalLocale } from "../../common/locales";
import type { Timestamp } from "../../common/time";
import { derivedId, isUuid } from "../../common/uuid";
import { coalesceInTx, coalesceKeysInTx } from "../../database/coalesce-in-tx";
import { padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { InvalidInput } from "../../errors";
import type { Agent } from "../agents/agent.entity";
import type { CompiledConfiguration } from "../configuration/document/compiled-configuration";
import { type OnceLimit, onceLimits } from "../configuration/document/evaluate";
import { periodMs } from "../configuration/document/period";
import type { DecisionInput } from "../configuration/document/read-situation";
import { MESSAGE_FAILED, MESSAGE_RECEIVED } from "../configuration/document/shapes";
import type { Contact } from "../contacts/contact.entity";
import { normalizeTag } from "../contacts/tags";
import type { Conversation } from "../conversations/conversation.entity";
import { lineById } from "../conversations/destination";
import { Message } from "../messages/message.entity";
import { MessageAuthor, MessageDirection, MessageStatus } from "../messages/message.enums";
import type { Situation } from "./decision.entity";
import type { AssumedContact } from "./decision.inputs";
import type { Snapshot } from "./decision-record";
import { readSurroundings } from "./loop";
import type { Participants } from "./participants";
import { RuleMatch } from "./rule-match.entity";

/** The IDs of the subjects that rules with `once` count for. */
interface Subjects {
  agent: string;
  contact: string | undefined;
  conversation: string | undefined;
}

/** A rule with `once`, with the key of its count. */
type Count = OnceLimit & Pick<RuleMatch, "subjectId"> & { name: string };

/** The inputs of a snapshot besides the participants. */
interface SnapshotContext {
  agent: Pick<Agent, "id" | "slug" | "name">;
  configuration: CompiledConfiguration;
  situation: Situation;
  now: Timestamp;
  /** Data to assume of the contact. */
  assumed?: AssumedContact | undefined;
}

/**
 * Reads the data for conditions and templates.
 * @throws InvalidInput for assumptions about no contact
 */
export async function takeSnapshot(
  tx: Tx,
  { contact, conversation, line: known }: Participants,
  { agent: { id: agent, slug, name }, configuration, situation, now, assumed }: SnapshotContext,
): Promise<Snapshot> {
  if (assumed !== undefined && contact === null)
    throw new InvalidInput([{ path: "as.contact", message: "requires a contact" }]);
  const isReply = situation.type === MESSAGE_RECEIVED && conversation !== null;
  const contactId = contact?.id ?? null;
  const addressId = isReply ? conversation.addressId : null;
  const reachedAt = conversation?.addressId ?? null;
  const { tags, channels, answers, isOptedOut, isUndeliverable } = await readSurroundings(tx, {
    contactId,
    addressId,
    reachedAt,
    now,
  });
  const line = conversation && (known ?? (await lineById(tx, conversation.lineId)));
  const snapshot = {
    contact: contact && {
      ref: contact.ref,
      name: contact.name,
      locale: contact.locale,
      timezone: contact.timezone,
      attributes: contact.attributes,
      tags: tags.toSorted(),
      channels: channels.toSorted(),
      ...(assumed && assumptionsOf(assumed)),
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
    ...(isReply && { answers }),
    ...(isOptedOut && { isOptedOut }),
    ...(isUndeliverable && { isUndeliverable }),
    ...(situation.type === MESSAGE_FAILED &&
      configuration.resends &&
      (await failedMessage(tx, situation, conversation))),
  };
  const subjects = { agent, contact: contact?.id, conversation: conversation?.id };
  return {
    ...snapshot,
    spent: await spentRules(tx, countsOf(configuration, { situation, ...snapshot }, subjects), now),
  };
}

/** The assumed data as it would be stored. */
function assumptionsOf({
  tags,
  attributes,
  locale,
  timezone,
}: AssumedContact): Partial<Contact> & { tags?: string[] } {
  return {
    ...(tags !== undefined && { tags: [...new Set((tags ?? []).map(normalizeTag))].sort() }),
    ...(attributes !== undefined && { attributes: attributes ?? {} }),
    ...(locale !== undefined && { locale: locale && (canonicalLocale(locale) ?? null) }),
    ...(timezone !== undefined && { timezone }),
  };
}

/** Combines the messages of a situation: their texts as lines, and the last subject and number. */
async function receivedMessage(
  tx: Tx,
  { type, data }: Situation,
  conversation: Conversation | null,
): Promise<Snapshot["message"]> {
  const ids = type === MESSAGE_RECEIVED && Array.isArray(data.messageIds) ? data.messageIds : [];
  if (ids.length === 0 || conversation === null) return null;
  const messages = await inboundMessages(tx, { ids, conversationId: conversation.id });
  const { sequence, subject = null } = messages.at(-1) ?? {};
  return sequence == null ? null : { text: messages.map(({ text }) => text).join("\n"), subject, sequence };
}

/** The failed message of a situation, if it belongs to its conversation. */
async function failedMessage(
  tx: Tx,
  { data: { messageId } }: Situation,
  conversation: Conversation | null,
): Promise<Pick<Snapshot, "failed">> {
  if (conversation === null || !isUuid(String(messageId))) return {};
  const message = await tx.findOneBy(Message, {
    id: String(messageId),
    conversationId: conversation.id,
    status: MessageStatus.failed,
  });
  if (message === null) return {};
  const { text, subject, resentAs, author, answeredAddressId } = message;
  // The policy applies to the second message only if it applied to the first one.
  const isUrgent = message.isUrgent || author !== MessageAuthor.agent || answeredAddressId !== null;
  return { failed: { text, subject, wasResent: resentAs !== null, ...(isUrgent && { isUrgent }) } };
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

/** The counts of the rules for a situation whose subjects exist. */
function countsOf(
  configuration: CompiledConfiguration,
  input: Omit<DecisionInput, "spent">,
  subjects: Subjects,
): Count[] {
  return onceLimits(configuration, input).flatMap((limit) => {
    const { per, group, ruleId } = limit;
    const subject =
      typeof per === "string"
        ? subjects[per]
        : derivedId(`once ${per.text}`, subjects.contact ?? subjects.agent);
    if (subject === undefined) return [];
    const subjectId = group === null ? subject : derivedId("group", subject);
    return [{ ...limit, subjectId, name: group ?? ruleId }];
  });
}

/** The IDs of the rules that have matched too recently, in order. */
async function spentRules(tx: Tx, counts: readonly Count[], now: Timestamp): Promise<string[]> {
  const spent = await Promise.all(
    counts.map(async ({ ruleId, subjectId, name, within }) => {
      const last = await matchedAt(tx, nameOf({ subjectId, ruleId: name }));
      return last !== undefined && Date.parse(now) - Date.parse(last) < (periodMs(within) ?? 0)
        ? [ruleId]
        : [];
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

/** The rules with `once` of a decision, and the IDs of its subjects. */
export interface Matches {
  configuration: CompiledConfiguration;
  input: DecisionInput;
  subjects: Subjects;
  ruleIds: ReadonlySet<string>;
}

/** Forgets the matches that were recorded for a decision when it asked a model: they were none, after all. */
export async function forgetMatches(tx: Tx, matches: Matches): Promise<void> {
  const rows = rowsOf(matches);
  // Earlier matches of these rules had expired when these were recorded.
  if (rows.length > 0) await deleteMatches(tx, rows);
}

/** Records the matches of rules with `once`. */
export async function recordMatches(tx: Tx, matches: Matches): Promise<void> {
  const rows = rowsOf(matches);
  if (rows.length > 0) await storeMatches(tx, rows);
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
