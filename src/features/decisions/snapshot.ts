import { In } from "typeorm";
import { canonicalLocale } from "../../common/locales";
import type { Timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import { coalesceInTx } from "../../database/coalesce-in-tx";
import type { Tx } from "../../database/unit-of-work";
import { InvalidInput } from "../../errors";
import type { Agent } from "../agents/agent.entity";
import type { CompiledConfiguration } from "../configuration/document/compiled-configuration";
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
import { spentRules } from "./rule-matches";

/** The inputs for a snapshot, other than the participants. */
interface SnapshotContext {
  agent: Pick<Agent, "id" | "slug" | "name">;
  configuration: CompiledConfiguration;
  situation: Situation;
  now: Timestamp;
  /** Data to assume about the contact. */
  assumed?: AssumedContact | undefined;
}

/**
 * Reads the data for conditions and templates.
 * @throws InvalidInput for assumptions without a contact
 */
export async function takeSnapshot(
  tx: Tx,
  { contact, conversation, line: known }: Participants,
  { agent: { id: agentId, slug, name }, configuration, situation, now, assumed }: SnapshotContext,
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
    ...(conversation === null &&
      contact !== null &&
      contact.handedOffAt !== null && { isHandedOff: true as const }),
    ...(situation.type === MESSAGE_FAILED && (await failedMessage(tx, situation, conversation))),
  };
  const about = { agentId, contactId, conversationId: conversation?.id ?? null };
  return { ...snapshot, spent: await spentRules(tx, configuration, { situation, ...snapshot }, about) };
}

/** Returns the assumed data in its stored form. */
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

/** Returns the IDs of the received messages in a situation, as passed by the caller. */
export const messageIdsOf = ({ type, data }: Situation): string[] =>
  type === MESSAGE_RECEIVED && Array.isArray(data.messageIds) ? data.messageIds : [];

/** Combines a situation's messages: each text on its own line, with the last subject and sequence number. */
async function receivedMessage(
  tx: Tx,
  situation: Situation,
  conversation: Conversation | null,
): Promise<Snapshot["message"]> {
  const ids = messageIdsOf(situation);
  if (ids.length === 0 || conversation === null) return null;
  const messages = await inboundMessages(tx, { ids, conversationId: conversation.id });
  const { sequence, subject = null } = messages.at(-1) ?? {};
  return sequence == null ? null : { text: messages.map(({ text }) => text).join("\n"), subject, sequence };
}

/** Returns a situation's failed message, if the message belongs to the situation's conversation. */
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
  const { text, subject, html, topic, resentAs, author, answeredAddressId, proposedText, reviewedAt } =
    message;
  // The policy applies to the resent message only if it applied to the failed one.
  const isUrgent = message.isUrgent || author !== MessageAuthor.agent || answeredAddressId !== null;
  const more = {
    ...(html !== null && { html }),
    ...(topic !== null && { topic }),
    ...(isUrgent && { isUrgent }),
    ...(proposedText !== null && reviewedAt === null && { isUnapproved: true as const }),
  };
  return { failed: { text, subject, wasResent: resentAs !== null, ...more } };
}

/** Reads only the conversation's own inbound messages, because a caller may name any messages. */
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
