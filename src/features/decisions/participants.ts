import { In } from "typeorm";
import { indexBy } from "../../common/coalesce";
import { isUuid } from "../../common/uuid";
import { accepted, eachAccepted } from "../../database/coalesce-in-tx";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, InvalidInput, noSuch } from "../../errors";
import { normalizeAddress } from "../contacts/addresses";
import type { Consents } from "../contacts/consents";
import type { Contact } from "../contacts/contact.entity";
import type { ContactAddress } from "../contacts/contact-address.entity";
import { assertNotErased } from "../contacts/find-contact";
import { addressesOf, type ContactKey, contactIdOf, isMeant, lockContacts } from "../contacts/known-contact";
import { contactIdToPut, putContacts } from "../contacts/put-contact";
import { Conversation } from "../conversations/conversation.entity";
import type { ContactReference } from "../conversations/conversation.inputs";
import { placeOnDefaultLine } from "../conversations/destination";
import { assertOpen, lockConversations, openAt } from "../conversations/find-conversation";
import type { Line } from "../lines/line.entity";

/** A situation's contact and conversation; the transaction has locked their rows. */
export interface Participants {
  contact: Contact | null;
  /** The current conversation. */
  conversation: Conversation | null;
  /** The conversation's line, if known. */
  line?: Line | undefined;
  /** True if the situation names the conversation; all messages are then sent in it. */
  isNamed: boolean;
  /** True for the contact's address that the situation names. */
  isPreferred: (address: ContactAddress) => boolean;
  /** ID of the locked contact: the agent's default contact if the situation names none. */
  subjectId?: string | undefined;
  /** True if this transaction created the contact. */
  isNew?: boolean;
}

/** The contact and conversation named by a caller for a situation. */
export interface ParticipantReference {
  /** One of the caller's agents. */
  agentId: string;
  contact?: ContactReference | null | undefined;
  conversationId?: string | null | undefined;
}

/** A resolved reference, before its rows are locked. */
interface Reference {
  agentId: string;
  /** The named conversation. */
  conversation?: Conversation;
  /** The contact that the situation names; null if it names none. */
  contact: { key?: ContactKey | undefined; id: string | undefined } | null;
  /** ID of the agent's default contact, if the situation names none. */
  defaultId?: string | undefined;
}

interface Met {
  reference: Reference;
  contact: Contact | null;
  isNew: boolean;
}

/**
 * Finds the participants of situations and locks their rows: all contacts, then all conversations. Creates
 * contacts for new `ref`s and addresses. If a situation names no conversation, uses the contact's open
 * conversation on the default line.
 * @param named the situations' references, or rejections to pass through
 * @param defaultRefs the `ref` of each agent's default contact, which is locked for situations without a
 *   reference
 * @returns the participants of each situation, or its rejection: `not_found` (contact, conversation), or
 *   `conflict` for an erased contact, a closed conversation or a conversation with another contact
 * @throws GatewayError see `putContact`
 */
export async function findParticipants(
  tx: Tx,
  named: readonly (ParticipantReference | GatewayError)[],
  defaultRefs: ReadonlyMap<string, string>,
  consents: Consents,
): Promise<(Participants | GatewayError)[]> {
  const references = await referencesOf(tx, named, defaultRefs);
  const contacts = await lockContacts(tx, accepted(references).flatMap(idsIn));
  const met = await meetEach(tx, contacts, references, consents);
  const placed = await eachAccepted(met, async ({ reference, ...rest }) => ({
    ...rest,
    conversationId: reference.conversation?.id,
    isPreferred: preferredBy(reference),
    subjectId: rest.contact?.id ?? reference.defaultId,
  }));
  return eachAccepted(await withConversations(tx, placed), async ({ conversationId, ...rest }) => {
    const { conversation } = rest;
    if (conversationId === undefined || conversation === null) return { ...rest, isNamed: false };
    assertOpen(conversation);
    return { ...rest, isNamed: true, isPreferred: ({ id }) => id === conversation.addressId };
  });
}

async function referencesOf(
  tx: Tx,
  named: readonly (ParticipantReference | GatewayError)[],
  defaultRefs: ReadonlyMap<string, string>,
): Promise<(Reference | GatewayError)[]> {
  const ids = accepted(named).flatMap(({ conversationId: id }) => (id != null && isUuid(id) ? id : []));
  const rows = ids.length === 0 ? [] : await tx.findBy(Conversation, { id: In(ids) });
  const conversations = indexBy(rows, ({ id }) => id);
  const keyed = await eachAccepted(named, async ({ agentId, contact: reference, conversationId }) => {
    const conversation = conversationId == null ? undefined : conversations.get(conversationId);
    if (conversationId != null && conversation?.agentId !== agentId) throw noSuch("conversation");
    const defaultRef = reference == null && conversation === undefined ? defaultRefs.get(agentId) : undefined;
    return {
      agentId,
      ...(conversation !== undefined && { conversation }),
      defaultKey: defaultRef === undefined ? undefined : { ref: defaultRef },
      contact: reference == null ? null : { key: keyOf(reference), id: reference.id ?? undefined },
    };
  });
  return eachAccepted(keyed, async ({ defaultKey, contact, ...rest }) => {
    const { agentId } = rest;
    if (defaultKey !== undefined)
      return { ...rest, contact, defaultId: await contactIdOf(tx, { agentId, ...defaultKey }) };
    if (contact?.key === undefined) return { ...rest, contact };
    // A situation in a conversation never creates a contact.
    const idOf = rest.conversation === undefined ? contactIdToPut : contactIdOf;
    return { ...rest, contact: { ...contact, id: await idOf(tx, { agentId, ...contact.key }) } };
  });
}

/** @throws InvalidInput, or GatewayError `not_found` for a malformed ID */
function keyOf({ id, ref, address }: ContactReference): ContactKey | undefined {
  if (id != null) {
    if (!isUuid(id)) throw noSuch("contact");
    return undefined;
  }
  if (address == null) return { ref };
  const found = normalizeAddress(address.kind, address.address);
  if ("problem" in found)
    throw new InvalidInput([{ path: "contact.address.address", message: found.problem }]);
  return { address: { kind: address.kind, address: found.address } };
}

const idsIn = ({ contact, conversation, defaultId }: Reference): string[] =>
  [contact?.id, conversation?.contactId, defaultId].flatMap((id) => id ?? []);

/** Finds the referenced contacts, and creates contacts for new keys. */
async function meetEach(
  tx: Tx,
  contacts: ReadonlyMap<string, Contact>,
  references: readonly (Reference | GatewayError)[],
  consents: Consents,
): Promise<(Met | GatewayError)[]> {
  const met = await eachAccepted(references, async (reference) => ({
    reference,
    contact: await knownContact(tx, contacts, reference),
    isNew: false,
  }));
  const fresh = accepted(met).filter(
    ({ contact, reference: { contact: named, conversation } }) =>
      contact === null && named?.key !== undefined && conversation === undefined,
  );
  const inputs = fresh.map(({ reference: { agentId, contact: named } }) => {
    const { ref, address } = named?.key ?? {};
    return { agentId, ...(address == null ? { ref } : { addresses: [address] }) };
  });
  for (const [i, contact] of (await putContacts(tx, inputs, consents)).entries())
    Object.assign(fresh[i] as Met, { contact, isNew: true });
  return met;
}

/** @throws GatewayError `not_found`, `conflict` */
async function knownContact(
  tx: Tx,
  contacts: ReadonlyMap<string, Contact>,
  { agentId, contact: named, conversation }: Reference,
): Promise<Contact | null> {
  const ofConversation = conversation === undefined ? undefined : contacts.get(conversation.contactId);
  // The contact may already be erased while the conversation is still open.
  if (ofConversation !== undefined) assertNotErased(ofConversation);
  if (named === null) return ofConversation ?? null;
  const contact = contacts.get(named.id ?? "");
  if (named.key === undefined) {
    if (contact?.agentId !== agentId) throw noSuch("contact");
    assertNotErased(contact);
  }
  // The contact may have been changed while the transaction waited for the contact's lock.
  const addresses = named.key?.address && contact && (await addressesOf(tx, contact.id));
  const isKnown =
    contact !== undefined && (named.key === undefined || isMeant(named.key, contact, addresses ?? []));
  if (ofConversation !== undefined && (!isKnown || contact.id !== ofConversation.id))
    throw new GatewayError("conflict", "The conversation is with another contact.");
  return isKnown ? contact : null;
}

const preferredBy =
  ({ contact }: Reference): Participants["isPreferred"] =>
  ({ kind, address }) =>
    kind === contact?.key?.address?.kind && address === contact.key.address.address;

/** Locks each situation's named conversation or, by default, the contact's open one on the default line. */
export async function withConversations<
  Each extends Pick<Participants, "contact" | "isPreferred"> & { conversationId?: string | null | undefined },
>(
  tx: Tx,
  met: readonly (Each | GatewayError)[],
): Promise<((Each & Pick<Participants, "conversation" | "line">) | GatewayError)[]> {
  const placed = await eachAccepted(met, async (each) => {
    const { contact, conversationId, isPreferred } = each;
    const isPlaced = conversationId == null && contact !== null;
    return { each, place: isPlaced ? await placeOnDefaultLine(tx, contact, isPreferred) : undefined };
  });
  const conversations = await lockConversations(
    tx,
    accepted(placed).flatMap(({ each: { conversationId } }) => conversationId ?? []),
    accepted(placed).flatMap(({ place }) => place ?? []),
  );
  return eachAccepted(placed, async ({ each, place }) => ({
    ...each,
    line: place?.line,
    conversation:
      place === undefined
        ? (conversations.get(each.conversationId ?? "") ?? null)
        : openAt(conversations, place),
  }));
}
