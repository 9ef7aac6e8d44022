import type { EntityManager } from "typeorm";
import type { Tx } from "../../database/unit-of-work";
import { Contact } from "../contacts/contact.entity";
import type { ContactAddress } from "../contacts/contact-address.entity";
import { addressesOf, lockContacts } from "../contacts/known-contact";
import { Conversation, ConversationState } from "../conversations/conversation.entity";
import { lockConversations } from "../conversations/own-conversation";
import type { Basis, Decision } from "./decision.entity";
import type { GateExplanation } from "./explanation";
import { openOnDefaultLine, type Parties } from "./parties";

/** What a decision about these parties begins on. */
export async function basisOf(
  tx: Tx,
  { contact, conversation, isNamed, isPreferred }: Parties,
): Promise<Basis> {
  const addresses = (contact && (await addressesOf(tx, contact.id))) ?? [];
  return {
    conversation: conversation && {
      version: conversation.version,
      lastSequence: conversation.lastSequence,
    },
    isNamed,
    addressId: addresses.find(isPreferred)?.id ?? null,
  };
}

/** Whom a stored decision is about, as they are now; their rows are locked. */
export async function partiesAgain(
  tx: Tx,
  { agentId, contactId, conversationId, basis }: Decision,
): Promise<Parties> {
  const contact = (contactId && (await lockContacts(tx, [contactId])).get(contactId)) || null;
  const find = async (id: string) => (await lockConversations(tx, [id])).get(id) ?? null;
  const conversation = conversationId === null ? null : await find(conversationId);
  const addressId = basis === null ? conversation?.addressId : basis.addressId;
  const parties = {
    contact,
    conversation,
    isNamed: basis?.isNamed ?? true,
    isPreferred: ({ id }: ContactAddress) => id === addressId,
  };
  if (conversation !== null || contact === null) return parties;
  const open = await openOnDefaultLine(tx, agentId, contact.id, parties.isPreferred);
  return open?.conversationId === undefined
    ? parties
    : { ...parties, line: open.line, conversation: await find(open.conversationId) };
}

/**
 * What keeps a stored decision from being made, because it happened since the decision was begun.
 * @returns undefined if nothing does
 */
export function obstacleTo(
  { basis }: Decision,
  { contact, conversation }: Pick<Parties, "contact" | "conversation">,
): GateExplanation | undefined {
  if (contact !== null && contact.erasedAt !== null) return { name: "contact", passed: false };
  if (conversation?.state === ConversationState.closed) return { name: "open", passed: false };
  if (basis === null) return undefined;
  const isSame =
    basis.conversation?.version === conversation?.version &&
    basis.conversation?.lastSequence === conversation?.lastSequence;
  return isSame ? undefined : { name: "unchanged", passed: false };
}

/** Whether a stored decision cannot be made any longer, as far as its rows tell without a lock. */
export async function isOvertaken(reader: EntityManager, decision: Decision): Promise<boolean> {
  const { contactId, conversationId } = decision;
  const contact = contactId === null ? null : await reader.findOneByOrFail(Contact, { id: contactId });
  const conversation =
    conversationId === null ? null : await reader.findOneByOrFail(Conversation, { id: conversationId });
  return obstacleTo(decision, { contact, conversation }) !== undefined;
}
