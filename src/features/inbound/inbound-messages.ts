import { type EntityManager, In, MoreThan, Not } from "typeorm";
import { groupBy } from "../../common/group-by";
import { HOUR_MS, type Timestamp, timestamp } from "../../common/time";
import { coalesceKeysInTx, settled } from "../../database/coalesce-in-tx";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { GatewayError } from "../../errors";
import type { Agent } from "../agents/agent.entity";
import type { Address } from "../contacts/addresses";
import { ALL_TOPICS, ConsentSource, ConsentState } from "../contacts/consent.entity";
import type { Consents } from "../contacts/consents";
import type { Contact } from "../contacts/contact.entity";
import { AddressKind, type ContactAddress } from "../contacts/contact-address.entity";
import { markDeliverable } from "../contacts/contact-addresses";
import { contactEvent } from "../contacts/contact-events";
import { addressesOf, type KnownContact, lockContacts, lockContactsAt } from "../contacts/known-contact";
import { putContacts } from "../contacts/put-contact";
import { cancelQueued } from "../conversations/cancel-messages";
import { withMessagesTo } from "../conversations/cancel-withdrawn";
import { Conversation, ConversationState, Handler } from "../conversations/conversation.entity";
import { MAX_QUEUED } from "../conversations/conversation.limits";
import { lockConversations } from "../conversations/find-conversation";
import { openConversations } from "../conversations/open-conversation";
import { queueMessages } from "../conversations/queue-messages";
import type { SituationTriggers } from "../decisions/situation-triggers";
import { recordEvents } from "../events/record-events";
import { addNotices } from "../handoff-notices/add-notices";
import { Line, LineKind } from "../lines/line.entity";
import { insertReceived } from "../messages/insert-messages";
import { MESSAGE_ORDER, Message } from "../messages/message.entity";
import { MessageAuthor, MessageDirection, MessageError, MessageStatus } from "../messages/message.enums";
import { WaitingTimers } from "../timers/waiting-timers";
import { optOutIntent } from "./opt-out";

/** How long a confirmation suppresses further confirmations (ms), because each message may cost money. */
const CONFIRMED_MS = HOUR_MS;

const SYSTEM = MessageAuthor.system;

export interface Inbound {
  /** The message's ID in the sending system. */
  providerId: string;
  /** The contact's address, in any form. */
  from: string;
  /** Name for a new contact; null if there is none. */
  name: string | null;
  /** The author of an e-mail that may have been sent by a form or list; not verified. */
  author?: Pick<Inbound, "from" | "name">;
  /** The addresses of the mailing list that an e-mail came through, in lowercase. */
  lists?: readonly string[];
  /** True if a program wrote the e-mail, even if a mailing list sent it. */
  isProgram?: boolean;
  text: string;
  /** The text to check for an opt-out; defaults to `text`. */
  optOutText?: string;
  /** The columns for e-mails only. */
  mail?: Pick<Message, "subject" | "quoted" | "thread">;
  sentAt: Timestamp;
  /** Human-readable description of the parts that were not stored. */
  omitted: string | null;
  /** True if a program wrote the message, which must not be answered. */
  isAutomatic: boolean;
}

/** An inbound message with its sender. */
export interface Received {
  message: Message;
  contactId: string;
  /** True if this request stored the message, rather than an earlier request. */
  isNew: boolean;
}

/** A line with its agent and organization. */
export type InboundLine = Line & { agent: Agent };

/** A message arriving on a line. */
export interface Arrival {
  line: InboundLine;
  from: Address;
  inbound: Inbound;
}

/** A contact at one of its addresses; the transaction has locked the contact's row. */
interface Recipient {
  line: InboundLine;
  contact: Contact;
  address: ContactAddress;
  /** The contact's opt-in or opt-out for the address. */
  intent: ReturnType<typeof optOutIntent>;
}

/** A message with its contact, at the address of its sender or of the conversation that it answers. */
interface Placed extends Arrival, Recipient {
  addresses: readonly ContactAddress[];
}

/** Stores messages from contacts. */
export class InboundMessages {
  constructor(
    private readonly lanes: Lanes,
    private readonly consents: Consents,
    private readonly situationTriggers: SituationTriggers,
  ) {}

  /** Stores messages; each contact's messages are stored in order of arrival. */
  async store(tx: Tx, arrivals: readonly Arrival[]): Promise<Received[]> {
    const distinct = [...groupBy(arrivals, nameOf).values()].flatMap(([first]) => first ?? []);
    const known = await lockContactsAt(
      tx,
      distinct.map(({ line: { agentId }, from }) => ({ agentId, address: from })),
    );
    const contacts = new Map(distinct.map((each, i) => [each, known[i] ?? null]));
    // The contact's lock makes concurrent retries wait for each other. A message without a known contact may be a retry
    // for an erased contact, which must not be recreated.
    const results = await repeatsOf(tx, distinct);
    const isNew = (each: Arrival) => !results.has(nameOf(each));
    const strangers = distinct.filter((each) => contacts.get(each) === null && isNew(each));
    if (strangers.length > 0) {
      for (const [i, contact] of (await addContacts(tx, strangers, this.consents)).entries())
        contacts.set(strangers[i] as Arrival, contact);
      for (const [name, repeat] of await repeatsOf(tx, strangers)) results.set(name, repeat);
    }
    const placed = await joinNamed(
      tx,
      distinct.filter(isNew).map((each) => placedAt(each, contacts.get(each))),
    );
    await lockAhead(tx, placed);
    for (const turn of turnsOf(placed))
      for (const [name, received] of await this.storeTurn(tx, turn)) results.set(name, received);
    return arrivals.map((each) => {
      const result = results.get(nameOf(each)) as Received;
      return { ...result, isNew: result.isNew && distinct.includes(each) };
    });
  }

  /** Opts out the address that the line sent a message to, unless it is already opted out. */
  async optOutRecipient(tx: Tx, line: InboundLine, messageId: string): Promise<void> {
    const found = await tx
      .createQueryBuilder(Conversation, "conversation")
      .innerJoin(Message, "message", "message.conversation_id = conversation.id")
      .where({ lineId: line.id })
      .andWhere("message.id = :messageId AND message.line_id = conversation.line_id", { messageId })
      .andWhere("message.attempts > 0 AND message.direction = :outbound", {
        outbound: MessageDirection.outbound,
      })
      .getOne();
    if (found === null) return;
    const contact = (await lockContacts(tx, [found.contactId])).get(found.contactId);
    const address = (await addressesOf(tx, found.contactId))?.find(({ id }) => id === found.addressId);
    if (contact === undefined || address === undefined || address.optedOutAt !== null) return;
    const recipient = { line, contact, address, intent: "out" } as const;
    await lockAhead(tx, [recipient]);
    await this.setOptedOut(tx, recipient, true);
  }

  /**
   * Stores messages: per contact, either one message that opts in or out, or several that do neither.
   * @returns the messages by name
   */
  private async storeTurn(tx: Tx, turn: readonly Placed[]): Promise<[string, Received][]> {
    const areOwn = await Promise.all(turn.map((each) => isOwnAddress(tx, each)));
    const unanswered = new Set(
      turn.filter(({ inbound, line }, i) => inbound.isAutomatic || areOwn[i] || !isActive(line)),
    );
    await markDeliverable(
      tx,
      turn.flatMap(({ from, addresses }) => addresses.find((each) => isSame(each, from)) ?? []),
    );
    const confirming = new Set<Placed>();
    for (const each of turn) {
      const { intent, address } = each;
      const isOut = address.optedOutAt !== null;
      if (intent === "out" || (intent === "in" && isOut)) unanswered.add(each);
      if (intent !== (isOut ? "in" : "out")) continue;
      await this.setOptedOut(tx, each, !isOut);
      if (!isOut && !(await isConfirmed(tx, address))) confirming.add(each);
    }
    const byPlace = [...groupBy(turn, ({ line, address }) => `${line.id} ${address.id}`).values()];
    const { conversations, sequences } = await openConversations(
      tx,
      byPlace.map((ofPlace) => ({ ...(ofPlace[0] as Placed), messages: ofPlace.length })),
    );
    const numbered = byPlace.flatMap((ofPlace, p) => {
      const conversation = conversations[p] as Conversation;
      const first = conversation.lastSequence - ofPlace.length + 1;
      return ofPlace.map((each, i) => ({ each, conversation, sequence: first + i }));
    });
    // A conversation opened while its contact is handed off starts with a human.
    const waiting = numbered.filter(
      ({ conversation: { handler }, sequence }) => sequence === 1 && handler === Handler.human,
    );
    await settled(waiting.map(({ conversation }) => addNotices(tx, { lanes: this.lanes, conversation })));
    const messages = await insertReceived(
      tx,
      this.lanes,
      numbered.map(({ each: { line, inbound }, conversation, sequence }) => ({
        agentId: line.agentId,
        lineId: line.id,
        conversationId: conversation.id,
        sequence,
        text: inbound.text,
        providerId: inbound.providerId,
        sentAt: inbound.sentAt,
        omitted: inbound.omitted,
        ...inbound.mail,
      })),
      async (created) => {
        const answered = numbered.flatMap(({ each, conversation }, i) =>
          unanswered.has(each) || conversation.handler === Handler.human
            ? []
            : [{ conversation, message: created[i] as Message }],
        );
        return [...sequences, ...(await this.situationTriggers.received(tx, answered))];
      },
    );
    for (const [i, each] of turn.entries()) {
      if (!each.contact.hasTimers || each.inbound.isAutomatic || areOwn[i]) continue;
      const { conversation } = numbered.find((one) => one.each === each) as (typeof numbered)[number];
      const { agentId } = each.line;
      await new WaitingTimers(tx, this.lanes, agentId, each.contact).cancelOn(
        "message.received",
        conversation.id,
      );
    }
    const replies = numbered.flatMap(({ each, conversation }) => {
      const { agentId, optOutReply: text } = each.line;
      if (text === null || !confirming.has(each)) return [];
      return [{ agentId, conversation, text, author: SYSTEM, answeredAddressId: each.address.id }];
    });
    if (replies.length > 0) await queueMessages(tx, this.lanes, replies);
    return numbered.map(({ each, conversation: { contactId } }, i) => [
      nameOf(each),
      { message: messages[i] as Message, contactId, isNew: true },
    ]);
  }

  /**
   * Opts an address in or out, and cancels the messages queued for it on all lines; an opt-in also cancels the
   * confirmation of the opt-out.
   */
  private async setOptedOut(tx: Tx, { contact, address, line }: Recipient, isOut: boolean): Promise<void> {
    const { id: addressId } = address;
    const state = isOut ? ConsentState.out : ConsentState.in;
    const about = { contact, addresses: [address], topic: ALL_TOPICS };
    await this.consents.change(tx, [{ ...about, state, source: ConsentSource.contact, evidence: null }]);
    const type = isOut ? "contact.opted_out" : "contact.opted_in";
    recordEvents(tx, [contactEvent(type, contact, { addressId, lineId: line.id })]);
    if (isOut) return;
    const open = await tx.findBy(Conversation, { addressId, state: ConversationState.open });
    const isSystem = ({ author }: Pick<Message, "author">) => author === SYSTEM;
    for (const conversation of open) {
      // Once the address is opted in, delivery no longer rejects messages queued since the opt-out.
      await cancelQueued(tx, this.lanes, conversation, {
        isMeant: (message) => !isSystem(message),
        errorCode: MessageError.opted_out,
        limit: MAX_QUEUED,
      });
      await cancelQueued(tx, this.lanes, conversation, {
        isMeant: isSystem,
        errorCode: MessageError.canceled,
      });
    }
  }
}

const isSame = (one: Address, other: Address) => one.kind === other.kind && one.address === other.address;

/** A message's name: its line and its ID in the sending system. */
export const nameOf = ({ line, inbound }: Arrival) => `${line.id} ${inbound.providerId}`;

/** Adds contacts with one address each, unless concurrent requests have added them. */
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

/** @throws GatewayError `conflict` if the contact lost the address while the transaction waited for its lock */
function placedAt(arrival: Arrival, known: KnownContact | null | undefined): Placed {
  const { from, inbound } = arrival;
  const address = known?.addresses.find((each) => isSame(each, from));
  if (known == null || address === undefined) throw new GatewayError("conflict", "The address has moved.");
  return {
    ...arrival,
    contact: known.contact,
    addresses: known.addresses,
    address,
    intent: optOutIntent(inbound.optOutText ?? inbound.text, arrival.line.optOutWords),
  };
}

/** Message-IDs that e-mail lines derive from the IDs of messages. */
export const OWN_MESSAGE_ID = /(?<=<)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=@)/g;

/** Moves e-mails to the open conversation of the message that they answer, if it has the same contact and line. */
async function joinNamed(tx: Tx, placed: Placed[]): Promise<Placed[]> {
  const named: string[][] = placed.map(({ inbound }) => inbound.mail?.thread?.match(OWN_MESSAGE_ID) ?? []);
  if (named.every((ids) => ids.length === 0)) return placed;
  const found: (Pick<Conversation, "contactId" | "addressId" | "lineId"> & { id: string })[] = await tx
    .createQueryBuilder(Message, "message")
    .innerJoin(Conversation, "conversation", "conversation.id = message.conversation_id")
    .select("message.id", "id")
    .addSelect("conversation.contact_id", "contactId")
    .addSelect("conversation.address_id", "addressId")
    .addSelect("conversation.line_id", "lineId")
    .where({ id: In(named.flat()), direction: MessageDirection.outbound })
    .andWhere("conversation.state = :state", { state: ConversationState.open })
    .getRawMany();
  return placed.map((each, i) => {
    const { line, contact, addresses } = each;
    const joined = found.find(
      ({ id, contactId, lineId }) => named[i]?.includes(id) && contactId === contact.id && lineId === line.id,
    );
    return { ...each, address: addresses.find(({ id }) => id === joined?.addressId) ?? each.address };
  });
}

/**
 * Locks the insert order and the conversations that messages are stored in or their senders opt out of. Opt-outs and
 * opt-ins lock lanes, which come later in the lock order.
 */
async function lockAhead(tx: Tx, placed: readonly Recipient[]): Promise<void> {
  const addressIds = placed.flatMap(({ intent, address }) => (intent === undefined ? [] : address.id));
  if (addressIds.length === 0) return;
  await lockConversations(tx, await withMessagesTo(tx, addressIds), placed);
  await tx.lockInsertOrder(
    MESSAGE_ORDER,
    placed.map(({ line }) => line.agentId),
  );
}

/** Groups messages to store together; a message that opts in or out is stored alone. */
function turnsOf(placed: readonly Placed[]): Placed[][] {
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

/** Messages with the same IDs stored by earlier requests, by name. */
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

/** True if an opt-out of the address was confirmed on any line within the last hour. */
const isConfirmed = (tx: Tx, { id }: ContactAddress): Promise<boolean> =>
  tx.existsBy(Message, {
    answeredAddressId: id,
    author: SYSTEM,
    status: Not(MessageStatus.canceled),
    createdAt: MoreThan(timestamp(-CONFIRMED_MS)),
  });

/** True if an e-mail address belongs to one of the agent's lines, possibly with a suffix such as `+orders`. */
async function isOwnAddress(
  tx: Tx,
  { line: { agentId }, from: { kind, address } }: Placed,
): Promise<boolean> {
  if (kind !== AddressKind.email) return false;
  const lines = (await emailLinesOf(tx, agentId)) ?? [];
  return lines.some((line) => withoutSuffix(line.address?.toLowerCase() ?? "") === withoutSuffix(address));
}

const emailLinesOf = coalesceKeysInTx(async (tx: Tx, agentIds) =>
  groupBy(await tx.findBy(Line, { agentId: In(agentIds), kind: LineKind.email }), ({ agentId }) => agentId),
);

const withoutSuffix = (address: string): string => address.replace(/\+[^@]*@/, "@");

/** True if a line's organization is active; otherwise, its messages are stored but not answered. */
const isActive = ({ agent }: InboundLine): boolean => agent.organization?.deactivatedAt === null;
