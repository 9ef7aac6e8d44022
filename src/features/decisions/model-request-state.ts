import type { EntityManager } from "typeorm";
import type { Tx } from "../../database/unit-of-work";
import { Contact } from "../contacts/contact.entity";
import type { ContactAddress } from "../contacts/contact-address.entity";
import { addressesOf, lockContacts } from "../contacts/known-contact";
import { Conversation, ConversationState } from "../conversations/conversation.entity";
import { lockConversations } from "../conversations/find-conversation";
import { lockOpen } from "../conversations/open-conversation";
import type { Decision } from "./decision.entity";
import type { ModelRequestState } from "./decision-record";
import type { GateExplanation } from "./explanation";
import { type Participants, placeOnDefaultLine } from "./participants";

/** The state in which a model is asked for a decision about these participants. */
export async function modelRequestStateOf(
  tx: Tx,
  { contact, conversation, isNamed, isPreferred }: Participants,
): Promise<ModelRequestState> {
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

/** The current participants of a stored decision; their rows are locked. */
export async function participantsOf(
  tx: Tx,
  { agentId, contactId, conversationId, basis }: Decision,
): Promise<Participants> {
  const contact = (contactId && (await lockContacts(tx, [contactId])).get(contactId)) || null;
  const find = async (id: string) => (await lockConversations(tx, [id])).get(id) ?? null;
  const conversation = conversationId === null ? null : await find(conversationId);
  const addressId = basis === null ? conversation?.addressId : basis.addressId;
  const participants = {
    contact,
    conversation,
    isNamed: basis?.isNamed ?? true,
    isPreferred: ({ id }: ContactAddress) => id === addressId,
  };
  if (conversation !== null || contact === null) return participants;
  const place = await placeOnDefaultLine(tx, agentId, contact.id, participants.isPreferred);
  return place === undefined
    ? participants
    : { ...participants, line: place.line, conversation: await lockOpen(tx, place) };
}

/**
 * The gate that a stored decision no longer passes because of a change since it was requested.
 * @returns undefined if it can still be made
 */
export function obstacleTo(
  { basis }: Decision,
  { contact, conversation }: Pick<Participants, "contact" | "conversation">,
): GateExplanation | undefined {
  if (contact !== null && contact.erasedAt !== null) return { name: "contact", passed: false };
  if (conversation?.state === ConversationState.closed) return { name: "open", passed: false };
  if (basis === null) return undefined;
  const isSame =
    basis.conversation?.version === conversation?.version &&
    basis.conversation?.lastSequence === conversation?.lastSequence;
  return isSame ? undefined : { name: "unchanged", passed: false };
}

/** True if a stored decision can no longer be made; read without locks. */
export async function isOvertaken(reader: EntityManager, decision: Decision): Promise<boolean> {
  const { contactId, conversationId } = decision;
  const contact = contactId === null ? null : await reader.findOneByOrFail(Contact, { id: contactId });
  const conversation =
    conversationId === null ? null : await reader.findOneByOrFail(Conversation, { id: conversationId });
  return obstacleTo(decision, { contact, conversation }) !== undefined;
}
