import { type EntityManager, type FindOptionsWhere, In } from "typeorm";
import type { Timestamp } from "../../common/time";
import { settled } from "../../database/coalesce-in-tx";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError } from "../../errors";
import type { Agent } from "../agents/agent.entity";
import type { Address } from "../contacts/addresses";
import type { Consents } from "../contacts/consents";
import type { Contact } from "../contacts/contact.entity";
import type { ContactAddress } from "../contacts/contact-address.entity";
import { addressesOf, type KnownContact, lockContactsAt } from "../contacts/known-contact";
import { contactIdToPut, putContacts } from "../contacts/put-contact";
import { Conversation, ConversationState } from "../conversations/conversation.entity";
import type { Line } from "../lines/line.entity";
import { Message } from "../messages/message.entity";
import { MessageDirection } from "../messages/message.enums";
import { optOutIntent } from "./opt-out";

export interface Inbound {
  /** The message's ID in the system that sent it. */
  providerId: string;
  /** The contact's address, in any form. */
  from: string;
  /** Name for a new contact; null if there is none. */
  name: string | null;
  /** The claimed, unverified author of an e-mail that may have been sent by a form or list. */
  author?: Pick<Inbound, "from" | "name">;
  /** The addresses, in lowercase, of the mailing list that forwarded the e-mail. */
  lists?: readonly string[];
  /** True if a program wrote the e-mail. Unlike `isAutomatic`, false if a mailing list only forwarded it. */
  isProgram?: boolean;
  text: string;
  /** The text to check for an opt-out; defaults to `text`. */
  optOutText?: string;
  /** Columns of a message that only e-mails use. */
  mail?: Pick<Message, "subject" | "quoted" | "thread">;
  sentAt: Timestamp;
  /** Human-readable description of the parts that were not stored. */
  omitted: string | null;
  /** True if a program wrote or forwarded the message, so the agent must not answer. */
  isAutomatic: boolean;
}

export interface Received {
  message: Message;
  contactId: string;
  /** True if this request, not an earlier one, stored the message. */
  isNew: boolean;
}

export type InboundLine = Line & { agent: Agent };

export interface Arrival {
  line: InboundLine;
  from: Address;
  inbound: Inbound;
}

/** A contact and one of its addresses; the transaction has locked the contact's row. */
export interface Recipient {
  line: InboundLine;
  contact: Contact;
  address: ContactAddress;
  /** The opt-in or opt-out expressed by the message; undefined if it expresses neither. */
  intent: ReturnType<typeof optOutIntent>;
}

/** A message with its contact, and its conversation's address, which can differ from the sender's. */
export interface Placed extends Arrival, Recipient {
  addresses: readonly ContactAddress[];
  /** The address that the message was sent from. */
  sender: ContactAddress;
}

const isSame = (one: Address, other: Address) => one.kind === other.kind && one.address === other.address;

/** Returns a message's unique name: the line's ID, and the message's ID in the system that sent it. */
export const nameOf = ({ line, inbound }: Arrival) => `${line.id} ${inbound.providerId}`;

/**
 * Finds the contact and conversation of each message; locks known contacts and creates unknown ones.
 * @param arrivals messages with distinct names (see `nameOf`)
 * @returns the new messages and, by name, the earlier results for messages that are already stored
 */
export async function placeArrivals(
  tx: Tx,
  arrivals: readonly Arrival[],
  consents: Consents,
): Promise<{ placed: Placed[]; repeats: Map<string, Received> }> {
  const known = await lockSenders(
    tx,
    arrivals.map(({ line: { agentId }, from }) => ({ agentId, address: from })),
  );
  const contacts = new Map(arrivals.map((each, i) => [each, known[i] ?? null]));
  // Looks for retries while holding the contacts' locks, which serialize concurrent retries. A message from an unknown
  // contact may be a retry for an erased contact, which must not be recreated.
  const repeats = await repeatsOf(tx, arrivals);
  const isNew = (each: Arrival) => !repeats.has(nameOf(each));
  const strangers = arrivals.filter((each) => contacts.get(each) === null && isNew(each));
  if (strangers.length > 0) {
    for (const [i, contact] of (await addContacts(tx, strangers, consents)).entries())
      contacts.set(strangers[i] as Arrival, contact);
    for (const [name, repeat] of await repeatsOf(tx, strangers)) repeats.set(name, repeat);
  }
  const placed = arrivals.filter(isNew).map((each) => placedAt(each, contacts.get(each)));
  return { placed: await joinNamed(tx, placed), repeats };
}

/** Locks the senders' contacts. If there are several senders, first locks the agents of unknown senders. */
export async function lockSenders(
  tx: Tx,
  keys: readonly { agentId: string; address: Address }[],
): Promise<(KnownContact | null)[]> {
  // For a single sender, the order does not matter: the contact is locked if known, otherwise the agent.
  if (keys.length > 1) await settled(keys.map((key) => contactIdToPut(tx, key)));
  return lockContactsAt(tx, keys);
}

/** Creates contacts with one address each, unless concurrent requests have created them. */
async function addContacts(
  tx: Tx,
  arrivals: readonly Arrival[],
  consents: Consents,
): Promise<KnownContact[]> {
  const contacts = await putContacts(
    tx,
    arrivals.map(({ line: { agentId }, from, inbound: { name } }) => ({
      agentId,
      addresses: [from],
      ...(name !== null && { name }),
    })),
    consents,
  );
  return Promise.all(
    contacts.map(async (contact) => ({ contact, addresses: (await addressesOf(tx, contact.id)) ?? [] })),
  );
}

/** @throws GatewayError `conflict` if the address was removed before the contact was locked */
function placedAt(arrival: Arrival, known: KnownContact | null | undefined): Placed {
  const { from, inbound } = arrival;
  const address = known?.addresses.find((each) => isSame(each, from));
  if (known == null || address === undefined)
    throw new GatewayError("conflict", "The contact no longer has this address.");
  return {
    ...arrival,
    contact: known.contact,
    addresses: known.addresses,
    address,
    sender: address,
    intent: optOutIntent(inbound.optOutText ?? inbound.text, arrival.line.optOutWords),
  };
}

/** A message referenced by an e-mail, with its conversation. */
type Named = Pick<Conversation, "contactId" | "addressId" | "lineId"> & Pick<Message, "id" | "providerId">;

/** Matches the gateway's message IDs within the `Message-ID`s of e-mails that it sent. */
export const OWN_MESSAGE_ID = /(?<=<)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=@)/g;

/** Max message IDs of a thread to look up, newest first. An e-mail can reference hundreds. */
const MAX_NAMED = 20;

/** Assigns each e-mail to the conversation that it replies to, if still open and with the same contact and line. */
async function joinNamed(tx: Tx, placed: Placed[]): Promise<Placed[]> {
  const idsIn = (pattern: RegExp): string[][] =>
    placed.map(({ inbound }) => inbound.mail?.thread?.match(pattern)?.slice(-MAX_NAMED) ?? []);
  const own = idsIn(OWN_MESSAGE_ID);
  // Also looks up other IDs, because a mail server may have replaced the gateway's `Message-ID`.
  const provided = idsIn(/[^<>\s]+/g);
  if (provided.every((ids) => ids.length === 0)) return placed;
  const find = (which: FindOptionsWhere<Message>): Promise<Named[]> =>
    tx
      .createQueryBuilder(Message, "message")
      .innerJoin(Conversation, "conversation", "conversation.id = message.conversation_id")
      .select("message.id", "id")
      .addSelect("message.provider_id", "providerId")
      .addSelect("conversation.contact_id", "contactId")
      .addSelect("conversation.address_id", "addressId")
      .addSelect("conversation.line_id", "lineId")
      .where({ ...which, direction: MessageDirection.outbound })
      .andWhere("conversation.state = :state", { state: ConversationState.open })
      .getRawMany();
  const lineIds = placed.map(({ line }) => line.id);
  const found = await find({ lineId: In(lineIds), providerId: In(provided.flat()) });
  // Also looks up the gateway's own IDs, because a `providerId` is stored only after the mail server's response.
  if (own.some((ids) => ids.length > 0)) found.push(...(await find({ id: In(own.flat()) })));
  return placed.map((each, i) => {
    const { line, contact, addresses } = each;
    const joined = found.find(
      ({ id, providerId, contactId, lineId }) =>
        (own[i]?.includes(id) || provided[i]?.includes(providerId ?? "")) &&
        contactId === contact.id &&
        lineId === line.id,
    );
    return { ...each, address: addresses.find(({ id }) => id === joined?.addressId) ?? each.address };
  });
}

/** Groups messages to store together. A message that opts in or out is not grouped with others of its contact. */
export function turnsOf(placed: readonly Placed[]): Placed[][] {
  const turns: Placed[][] = [];
  const last = new Map<string, { turn: number; intent: Placed["intent"] }>();
  for (const each of placed) {
    const { intent, contact } = each;
    const before = last.get(contact.id);
    const isAlone = intent !== undefined || before?.intent !== undefined;
    const turn = before === undefined ? 0 : before.turn + (isAlone ? 1 : 0);
    last.set(contact.id, { turn, intent });
    turns[turn] = [...(turns[turn] ?? []), each];
  }
  return turns;
}

/** Returns the messages with the same IDs that earlier requests have stored, by name. */
export async function repeatsOf(
  reader: EntityManager,
  arrivals: readonly Arrival[],
): Promise<Map<string, Received>> {
  const messages = await reader.findBy(Message, {
    lineId: In(arrivals.map(({ line }) => line.id)),
    providerId: In(arrivals.map(({ inbound }) => inbound.providerId)),
    direction: MessageDirection.inbound,
  });
  const ids = messages.flatMap(({ conversationId }) => conversationId ?? []);
  const conversations = ids.length === 0 ? [] : await reader.findBy(Conversation, { id: In(ids) });
  return new Map(
    messages.flatMap((message) => {
      const contactId = conversations.find(({ id }) => id === message.conversationId)?.contactId;
      const name = `${message.lineId} ${message.providerId}`;
      return contactId === undefined ? [] : [[name, { message, contactId, isNew: false }] as const];
    }),
  );
}
