import { In, MoreThan, Not } from "typeorm";
import { groupBy } from "../../common/group-by";
import { HOUR_MS, timestamp } from "../../common/time";
import { coalesceKeysInTx, settled } from "../../database/coalesce-in-tx";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { ALL_TOPICS, ConsentSource, ConsentState } from "../contacts/consent.entity";
import type { Consents } from "../contacts/consents";
import { AddressKind, type ContactAddress } from "../contacts/contact-address.entity";
import { markDeliverable } from "../contacts/contact-addresses";
import { contactEvent } from "../contacts/contact-events";
import { addressesOf, lockContacts } from "../contacts/known-contact";
import { cancelQueued } from "../conversations/cancel-messages";
import { withMessagesTo } from "../conversations/cancel-withdrawn";
import { Conversation, ConversationState, Handler } from "../conversations/conversation.entity";
import { lockConversations } from "../conversations/find-conversation";
import { openConversations } from "../conversations/open-conversation";
import { queueMessages } from "../conversations/queue-messages";
import type { SituationTriggers } from "../decisions/situation-triggers";
import { recordEvents } from "../events/record-events";
import { addNotices } from "../handoff-notices/add-notices";
import { addressKindOf } from "../lines/address-kind";
import { Line, LineKind } from "../lines/line.entity";
import { insertReceived } from "../messages/insert-messages";
import { lockMessageOrder, Message } from "../messages/message.entity";
import { MessageAuthor, MessageDirection, MessageError, MessageStatus } from "../messages/message.enums";
import { addressesOfSent, type Receipt } from "../messages/receipts";
import { WaitingTimers } from "../timers/waiting-timers";
import {
  type Arrival,
  type InboundLine,
  nameOf,
  type Placed,
  placeArrivals,
  type Received,
  type Recipient,
  turnsOf,
} from "./arrivals";

/** Min time between opt-out confirmations to an address (ms), because each message may cost money. */
const CONFIRMED_MS = HOUR_MS;

const SYSTEM = MessageAuthor.system;

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
    const { placed, repeats: results } = await placeArrivals(tx, distinct, this.consents);
    await lockAhead(tx, placed);
    for (const turn of turnsOf(placed))
      for (const [name, received] of await this.storeTurn(tx, turn)) results.set(name, received);
    return arrivals.map((each) => {
      const result = results.get(nameOf(each)) as Received;
      return { ...result, isNew: result.isNew && distinct.includes(each) };
    });
  }

  /** Opts out the address that the line sent a message to, if the address is known and not opted out yet. */
  async optOutRecipient(tx: Tx, line: InboundLine, reference: Receipt["message"]): Promise<void> {
    const which = { ...reference, lineId: line.id, direction: MessageDirection.outbound };
    const message = await tx.findOneBy(Message, { ...which, attempts: MoreThan(0) });
    if (message?.conversationId == null) return;
    const found = await tx.findOneBy(Conversation, { id: message.conversationId });
    if (found === null) return;
    const contact = (await lockContacts(tx, [found.contactId])).get(found.contactId);
    const [sentTo] = await tx.query(addressesOfSent("($1)"), [message.id]);
    const address = (await addressesOf(tx, found.contactId))?.find(({ id }) => id === sentTo?.id);
    if (contact === undefined || address === undefined || address.optedOutAt !== null) return;
    // The conversation may have been moved to a line of another kind, such as one for phone numbers.
    if (address.kind !== addressKindOf(line)) return;
    const recipient = { line, contact, address, intent: "out" } as const;
    await lockAhead(tx, [recipient]);
    await this.setOptedOut(tx, recipient, true);
  }

  /** Stores the messages of a turn (see `turnsOf`), and returns them by name. */
  private async storeTurn(tx: Tx, turn: readonly Placed[]): Promise<[string, Received][]> {
    const areOwn = await Promise.all(turn.map((each) => isOwnAddress(tx, each)));
    // An opt-in keyword is an ordinary message unless the sender's or conversation's address is opted out.
    const keywords = new Set(
      turn.filter(
        ({ intent, address, sender }) =>
          intent === "out" || (intent === "in" && [address, sender].some(isOptedOut)),
      ),
    );
    const unanswered = new Set(
      turn.filter(
        (each, i) => keywords.has(each) || each.inbound.isAutomatic || areOwn[i] || !isActive(each.line),
      ),
    );
    await markDeliverable(
      tx,
      turn.map(({ sender }) => sender),
    );
    const confirming = new Set<Placed>();
    for (const each of keywords) {
      const isOut = each.intent === "out";
      const changed = new Set([each.address, each.sender].filter((one) => isOptedOut(one) !== isOut));
      for (const address of changed) await this.setOptedOut(tx, { ...each, address }, isOut);
      if (isOut && changed.size > 0 && !(await isConfirmed(tx, each.address))) confirming.add(each);
    }
    const byPlace = [...groupBy(turn, ({ line, address }) => `${line.id} ${address.id}`).values()];
    const { conversations, sequences } = await openConversations(
      tx,
      byPlace.map((ofPlace) => ({
        ...(ofPlace[0] as Placed),
        messages: ofPlace.length,
        needsReply: ofPlace.some((each) => !each.inbound.isAutomatic && !keywords.has(each)),
      })),
    );
    const numbered = byPlace.flatMap((ofPlace, p) => {
      const conversation = conversations[p] as Conversation;
      const first = conversation.lastSequence - ofPlace.length + 1;
      return ofPlace.map((each, i) => ({ each, conversation, sequence: first + i }));
    });
    // While a contact is handed off, a human handles new conversations from the start.
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

  /** Opts an address in or out, and cancels its queued messages, including the confirmation of an earlier opt-out. */
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
      // Cancels messages queued since the opt-out, which delivery would not reject after the opt-in.
      await cancelQueued(tx, this.lanes, conversation, {
        isMeant: (message) => !isSystem(message),
        errorCode: MessageError.opted_out,
      });
      await cancelQueued(tx, this.lanes, conversation, {
        isMeant: isSystem,
        errorCode: MessageError.canceled,
      });
    }
  }
}

const isOptedOut = ({ optedOutAt }: ContactAddress): boolean => optedOutAt !== null;

/**
 * If messages opt in or out, locks the conversations of all messages and of the changed addresses, then the insert
 * order. Lanes must be locked later.
 */
async function lockAhead(tx: Tx, placed: readonly (Recipient & Partial<Placed>)[]): Promise<void> {
  const addressIds = placed.flatMap(({ intent, address, sender = address }) =>
    intent === undefined ? [] : [address.id, sender.id],
  );
  if (addressIds.length === 0) return;
  await lockConversations(tx, await withMessagesTo(tx, addressIds), placed);
  const lines = placed.map(({ line }) => line);
  await lockMessageOrder(tx, lines);
}

/** True if any line has confirmed an opt-out of the address within the last hour. */
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
