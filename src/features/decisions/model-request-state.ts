import type { EntityManager } from "typeorm";
import { accepted } from "../../database/coalesce-in-tx";
import type { Tx } from "../../database/unit-of-work";
import { Contact } from "../contacts/contact.entity";
import type { ContactAddress } from "../contacts/contact-address.entity";
import { addressesOf, lockSubjects } from "../contacts/known-contact";
import { Conversation, ConversationState } from "../conversations/conversation.entity";
import { MessageAuthor } from "../messages/message.enums";
import type { Decision } from "./decision.entity";
import type { ModelRequestState } from "./decision-record";
import type { GateExplanation } from "./explanation";
import { type Participants, withConversations } from "./participants";

/** Captures the state at the time of a model call for a decision about the given participants. */
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

/** The columns of a stored decision that identify its agent, contact and conversation. */
export type Described = Pick<Decision, "agentId" | "contactId" | "conversationId" | "basis">;

/** Returns the current participants of stored decisions, with their rows locked. */
export async function participantsOf(tx: Tx, decisions: readonly Described[]): Promise<Participants[]> {
  const contacts = await lockSubjects(tx, decisions);
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
    // Decisions without a contact share the agent's timers and counts, and may open the same conversation.
    subjectId: each.contact?.id ?? agentId,
  }));
}

/** Returns the gate closed by a change since a decision was requested; undefined if none is closed. */
export async function obstacleTo(
  reader: EntityManager,
  decision: Decision,
  { contact, conversation }: Pick<Participants, "contact" | "conversation">,
): Promise<GateExplanation | undefined> {
  const { basis } = decision;
  if (contact !== null && contact.erasedAt !== null) return { name: "contact", passed: false };
  if (conversation?.state === ConversationState.closed) return { name: "open", passed: false };
  if (basis === null) return undefined;
  const isSame =
    basis.conversation?.version === conversation?.version &&
    !(await isSuperseded(reader, decision, conversation));
  return isSame ? undefined : { name: "unchanged", passed: false };
}

/**
 * True if the contact wrote again or opted out or in, or a person or API client answered. Other messages
 * must not discard the model's answer, because no other decision would replace it.
 */
async function isSuperseded(
  reader: EntityManager,
  { basis, snapshot }: Decision,
  conversation: Conversation | null,
): Promise<boolean> {
  const last = basis?.conversation?.lastSequence;
  if (last === undefined || conversation === null || last === conversation.lastSequence) return false;
  const { member, api, contact } = MessageAuthor;
  const rows: unknown[] = await reader.query(
    `select 1 from message where conversation_id = $1 and sequence > $2
       and ((author = '${contact}' and decision_id is not null)
         or (author in ('${member}', '${api}') and send_at is null))
     union all
     select 1 from contact_address where id = $3
       and opted_out_at is ${snapshot?.isOptedOut === true ? "null" : "not null"}`,
    [conversation.id, last, conversation.addressId],
  );
  return rows.length > 0;
}

/** True if a stored decision can no longer be made. Does not lock anything. */
export async function isOvertaken(reader: EntityManager, decision: Decision): Promise<boolean> {
  const { contactId, conversationId } = decision;
  const contact = contactId === null ? null : await reader.findOneByOrFail(Contact, { id: contactId });
  const conversation =
    conversationId === null ? null : await reader.findOneByOrFail(Conversation, { id: conversationId });
  return (await obstacleTo(reader, decision, { contact, conversation })) !== undefined;
}
