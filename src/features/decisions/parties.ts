import type { RequestContext } from "../../auth/context";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, noSuch } from "../../errors";
import { Contact } from "../contacts/contact.entity";
import { ContactAddress } from "../contacts/contact-address.entity";
import { normalized } from "../contacts/contact-addresses";
import { lockKnownContact } from "../contacts/known-contact";
import { assertNotErased, lockContact } from "../contacts/own-contact";
import { putContact } from "../contacts/put-contact";
import { Conversation, ConversationState } from "../conversations/conversation.entity";
import type { ContactReference } from "../conversations/conversation.inputs";
import { addressOn } from "../conversations/destination";
import {
  assertOpen,
  findConversation,
  lockContactRow,
  lockConversations,
} from "../conversations/own-conversation";
import { Line } from "../lines/line.entity";

/** Whom a situation is about; the transaction has locked their rows. */
export interface Parties {
  contact: Contact | null;
  /** The conversation at hand. */
  conversation: Conversation | null;
  /** The line that it is on, if it is known. */
  line?: Line;
  /** Whether the situation names the conversation, so that all messages go there. */
  isNamed: boolean;
  /** Tells whether an address of the contact is the one that the situation names. */
  isPreferred: (address: ContactAddress) => boolean;
}

/** Whom a caller says that a situation is about. */
export interface Named {
  contact?: ContactReference | null | undefined;
  conversationId?: string | null | undefined;
}

/**
 * Finds whom a situation is about and locks their rows. A contact by a new `ref` or address is created. Without a
 * conversation, the one that is open with the contact on the default line is at hand.
 * @throws GatewayError `not_found` (contact, conversation), `conflict` for an erased contact, a closed conversation and
 *   one with another contact, or see `putContact`
 */
export async function findParties(
  tx: Tx,
  context: RequestContext,
  agentId: string,
  { contact: reference, conversationId }: Named,
): Promise<Parties> {
  if (conversationId != null) {
    const parties = await partiesOf(tx, context, agentId, conversationId);
    if (reference != null) {
      const contact = await contactOf(tx, context, agentId, reference);
      if (contact.id !== parties.contact?.id)
        throw new GatewayError("conflict", "The conversation is with another contact.");
    }
    return parties;
  }
  const noParties: Parties = { contact: null, conversation: null, isNamed: false, isPreferred: () => false };
  if (reference == null) return noParties;
  const contact = await contactOf(tx, context, agentId, reference);
  const [address] = reference.address == null ? [] : normalized([reference.address]);
  const isPreferred = (each: ContactAddress) =>
    each.kind === address?.kind && each.address === address.address;
  const parties = { ...noParties, contact, isPreferred };
  return { ...parties, ...(await openOnDefaultLine(tx, agentId, parties)) };
}

async function partiesOf(
  tx: Tx,
  context: RequestContext,
  agentId: string,
  conversationId: string,
): Promise<Parties> {
  const found = await findConversation(tx, context, conversationId);
  if (found === null || found.agentId !== agentId) throw noSuch("conversation");
  await lockContactRow(tx, found.contactId);
  const contact = await tx.findOneByOrFail(Contact, { id: found.contactId });
  const conversation = (await lockConversations(tx, [found.id])).get(found.id) ?? found;
  assertOpen(conversation);
  return {
    contact,
    conversation,
    isNamed: true,
    isPreferred: ({ id }) => id === conversation.addressId,
  };
}

async function contactOf(
  tx: Tx,
  context: RequestContext,
  agentId: string,
  { id, ref, address }: ContactReference,
): Promise<Contact> {
  if (id == null) {
    const known = await lockKnownContact(tx, agentId, { ref, address });
    // It may have been erased while this transaction waited for its lock.
    if (known !== null) assertNotErased(known);
    if (known !== null) return known;
    const { contact } = await putContact(tx, agentId, address == null ? { ref } : { addresses: [address] });
    return contact;
  }
  const contact = await lockContact(tx, context, id);
  if (contact.agentId !== agentId) throw noSuch("contact");
  assertNotErased(contact);
  return contact;
}

/** The open conversation with a contact on the default line, with its row locked. */
export async function openOnDefaultLine(
  tx: Tx,
  agentId: string,
  { contact, isPreferred }: Pick<Parties, "contact" | "isPreferred">,
): Promise<Pick<Parties, "conversation" | "line"> | undefined> {
  const line = await tx.findOneBy(Line, { agentId, isDefault: true });
  if (line === null || contact === null) return undefined;
  try {
    const { id: addressId } = await addressOn(tx, line, contact.id, isPreferred);
    const query = tx
      .createQueryBuilder(Conversation, "conversation")
      .where({ lineId: line.id, addressId, state: ConversationState.open });
    return { conversation: await tx.lock(query).getOne(), line };
  } catch (error) {
    if (error instanceof GatewayError && error.code === "not_deliverable") return undefined;
    throw error;
  }
}
