import type { EntityManager } from "typeorm";
import { accepted } from "../../database/coalesce-in-tx";
import type { Tx } from "../../database/unit-of-work";
import { Contact } from "../contacts/contact.entity";
import type { ContactAddress } from "../contacts/contact-address.entity";
import { addressesOf, lockContacts } from "../contacts/known-contact";
import { Conversation, ConversationState } from "../conversations/conversation.entity";
import type { Decision } from "./decision.entity";
import type { ModelRequestState } from "./decision-record";
import type { GateExplanation } from "./explanation";
import { type Participants, withConversations } from "./participants";

/** Captures the state when a model is asked for a decision about these participants. */
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

/** The subjects of a stored decision. */
export type Described = Pick<Decision, "agentId" | "contactId" | "conversationId" | "basis">;

/** Returns the current participants of stored decisions, with their rows locked. */
export async function participantsOf(tx: Tx, decisions: readonly Described[]): Promise<Participants[]> {
  const contacts = await lockContacts(
    tx,
    decisions.flatMap(({ contactId }) => contactId ?? []),
  );
  const about = decisions.map(({ contactId, ...decision }) => ({
    ...decision,
    contact: contacts.get(contactId ?? "") ?? null,
    isPreferred: ({ id }: ContactAddress) => id === decision.basis?.addressId,
  }));
  const participants = await withConversations(tx, about);
  return accepted(participants).map(({ agentId, basis, ...each }) => ({
    ...each,
    isNamed: basis?.isNamed ?? true,
    ...(basis === null && { isPreferred: ({ id }) => id === each.conversation?.addressId }),
    // Decisions without a contact may all open the conversation with the default contact.
    subjectId: each.contact?.id ?? agentId,
  }));
}

/**
 * Returns the gate that a change has closed since a stored decision was requested.
 * @returns undefined if the decision can still be made
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

/** True if a stored decision can no longer be made; reads without locks. */
export async function isOvertaken(reader: EntityManager, decision: Decision): Promise<boolean> {
  const { contactId, conversationId } = decision;
  const contact = contactId === null ? null : await reader.findOneByOrFail(Contact, { id: contactId });
  const conversation =
    conversationId === null ? null : await reader.findOneByOrFail(Conversation, { id: conversationId });
  return obstacleTo(decision, { contact, conversation }) !== undefined;
}
