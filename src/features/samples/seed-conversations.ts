// One file, because the plan, the IDs and the inserts must agree on the order of contacts, conversations and
// messages.

import type { EntityManager } from "typeorm";
import { timestamp } from "../../common/time";
import { uuidAfter } from "../../common/uuid";
import type { Database } from "../../database/database";
import { insertAll } from "../../database/insert-all";
import { BACKGROUND } from "../../database/limits";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes, NewLane } from "../../delivery/lanes";
import { lockAgent } from "../agents/agent-scope";
import { Contact } from "../contacts/contact.entity";
import { ContactAddress } from "../contacts/contact-address.entity";
import { termsOf } from "../contacts/contact-search";
import { ContactTag } from "../contacts/contact-tag.entity";
import { ContactTerm } from "../contacts/contact-term.entity";
import { Conversation } from "../conversations/conversation.entity";
import { lineOf } from "../conversations/destination";
import { DeliveryAttempt } from "../messages/delivery-attempt.entity";
import { MESSAGE_ORDER, Message } from "../messages/message.entity";
import { CONVERSATION_LANE, MESSAGE_LANE } from "../messages/message-lanes";
import {
  type SampleContext,
  sampleAddress,
  sampleAttempts,
  sampleContact,
  sampleConversation,
  sampleMessage,
  sampleRef,
  sampleTags,
} from "./sample-rows";

/** Number of contacts, conversations and messages per transaction. */
const CHUNK = 2_000;

const ADDED_BY = "command line";

/** Number of rows to add. */
export interface SampleCounts {
  contacts: number;
  /** Conversations on one line, spread evenly over the contacts; only a contact's last one is open. */
  conversations: number;
  /** Messages no longer queued, spread evenly over the conversations; standalone without any. */
  messages: number;
  /** Additional queued messages, spread evenly over the open conversations. */
  queued: number;
}

/** A contact, conversation or message to add after the rows that it belongs to. */
type Planned =
  | { contact: number }
  | { conversation: number; messages: number; isOpen: boolean }
  | { message: number; sequence: number | null; isQueued: boolean };

/**
 * Adds synthetic rows to an agent, in short transactions that each leave the data consistent.
 * @param place the agent, and the name of the line (by default, the agent's default line)
 * @param counts the number of rows to add; if it includes conversations, it must include contacts
 * @param onProgress called after each transaction with the rows added so far
 * @throws GatewayError `not_found` (line), or `not_deliverable` if the agent has no default line
 */
export async function seedConversations(
  { database, lanes }: { database: Database; lanes: Lanes },
  place: { agentId: string; line?: string | undefined },
  counts: SampleCounts,
  onProgress: (done: SampleCounts) => void = () => undefined,
): Promise<void> {
  const { agentId } = place;
  const done = { contacts: 0, conversations: 0, messages: 0, queued: 0 };
  const line = await database.write((tx) => lineOf(tx, agentId, place.line ? { name: place.line } : null));
  const firstNumber = await database.read((reader) => nextNumber(reader, agentId));
  const last: Last = { contactId: undefined, addressId: "", conversationId: null };
  const planned = plan(counts);
  for (let chunk = take(planned, CHUNK); chunk.length > 0; chunk = take(planned, CHUNK)) {
    await database.write(
      async (tx) => {
        await lockAgent(tx, agentId);
        await tx.lockInsertOrder(MESSAGE_ORDER, [agentId]);
        const context = { agentId, line, now: timestamp() };
        await insertChunk(tx, lanes, context, { chunk, firstNumber, last });
      },
      { limits: BACKGROUND },
    );
    for (const each of chunk) {
      if ("contact" in each) done.contacts += 1;
      else if ("conversation" in each) done.conversations += 1;
      else if (each.isQueued) done.queued += 1;
      else done.messages += 1;
    }
    onProgress({ ...done });
  }
}

/** The last row added; the next conversation or message belongs to it. */
interface Last {
  contactId: string | undefined;
  addressId: string;
  conversationId: string | null;
}

/** Yields each contact, followed by its conversations and their messages. */
function* plan({ contacts, conversations, messages, queued }: SampleCounts): Generator<Planned> {
  const open = Math.min(contacts, conversations);
  let nextOpen = 0;
  for (let contact = 0; contact < contacts; contact++) {
    yield { contact };
    const [from, to] = share(contact, contacts, conversations);
    for (let conversation = from; conversation < to; conversation++) {
      const isOpen = conversation === to - 1;
      const ended = share(conversation, conversations, messages);
      const waiting = isOpen ? share(nextOpen++, open, queued) : ([0, 0] as const);
      const total = ended[1] - ended[0] + waiting[1] - waiting[0];
      yield { conversation, messages: total, isOpen };
      yield* plannedMessages(ended, waiting, 1);
    }
  }
  if (conversations === 0) yield* plannedMessages([0, messages], [0, queued], null);
}

function* plannedMessages(
  [from, to]: readonly [number, number],
  [firstQueued, endQueued]: readonly [number, number],
  firstSequence: number | null,
): Generator<Planned> {
  let sequence = firstSequence;
  const next = () => (sequence === null ? null : sequence++);
  for (let message = from; message < to; message++) yield { message, sequence: next(), isQueued: false };
  for (let message = firstQueued; message < endQueued; message++)
    yield { message, sequence: next(), isQueued: true };
}

/** Returns the range of items that belong to one owner; the end is exclusive. */
const share = (owner: number, owners: number, things: number): readonly [number, number] => [
  Math.floor((owner * things) / owners),
  Math.floor(((owner + 1) * things) / owners),
];

function take<T>(from: Iterator<T>, max: number): T[] {
  const taken: T[] = [];
  while (taken.length < max) {
    const { done, value } = from.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

/** Inserts rows; the caller's locks ensure that rows are committed in ID order. */
async function insertChunk(
  tx: Tx,
  lanes: Lanes,
  context: SampleContext,
  { chunk, firstNumber, last }: { chunk: readonly Planned[]; firstNumber: number; last: Last },
): Promise<void> {
  const { agentId, now } = context;
  const nextContact = await idsAfterLast(tx, Contact, agentId);
  const nextConversation = await idsAfterLast(tx, Conversation, agentId);
  const nextMessage = await idsAfterLast(tx, Message, agentId);
  const rows = {
    contacts: [] as ReturnType<typeof sampleContact>[],
    addresses: [] as ReturnType<typeof sampleAddress>[],
    conversations: [] as ReturnType<typeof sampleConversation>[],
    messages: [] as ReturnType<typeof sampleMessage>[],
    lanes: [] as NewLane[],
  };
  for (const each of chunk) {
    if ("contact" in each) {
      const number = firstNumber + each.contact;
      const id = nextContact();
      const address = sampleAddress(context, uuidAfter(undefined), id, number);
      rows.contacts.push(sampleContact(context, id, number));
      rows.addresses.push(address);
      Object.assign(last, { contactId: id, addressId: address.id });
    } else if ("conversation" in each) {
      const place = {
        id: nextConversation(),
        contactId: last.contactId as string,
        addressId: last.addressId,
      };
      rows.conversations.push(sampleConversation(context, place, each));
      last.conversationId = place.id;
    } else {
      const { conversationId } = last;
      const place = { id: nextMessage(), conversationId, sequence: each.sequence };
      rows.messages.push(sampleMessage(context, place, { number: each.message, isQueued: each.isQueued }));
      if (!each.isQueued) continue;
      rows.lanes.push(
        conversationId === null
          ? { id: place.id, agentId, kind: MESSAGE_LANE }
          : { id: conversationId, agentId, kind: CONVERSATION_LANE },
      );
    }
  }
  await insertAll(tx, Contact, rows.contacts);
  await insertAll(tx, ContactAddress, rows.addresses);
  await insertAll(
    tx,
    ContactTag,
    rows.contacts.flatMap(({ id: contactId, attributes }) =>
      sampleTags(Number(attributes.number)).map((tag) => ({
        contactId,
        tag,
        agentId,
        addedAt: now,
        addedBy: ADDED_BY,
      })),
    ),
  );
  await insertAll(
    tx,
    ContactTerm,
    rows.contacts.flatMap((contact, i) =>
      termsOf(contact, rows.addresses.slice(i, i + 1)).map((term) => ({
        contactId: contact.id,
        term,
        agentId,
      })),
    ),
  );
  await insertAll(tx, Conversation, rows.conversations);
  await insertAll(tx, Message, rows.messages);
  await insertAll(tx, DeliveryAttempt, rows.messages.flatMap(sampleAttempts));
  if (rows.lanes.length > 0) await lanes.add(tx, rows.lanes);
}

/** Generates IDs that sort after an agent's existing IDs, even if processes' clocks differ. */
async function idsAfterLast(
  tx: Tx,
  entity: typeof Contact | typeof Conversation | typeof Message,
  agentId: string,
): Promise<() => string> {
  const row = await tx
    .createQueryBuilder(entity, "row")
    .select("MAX(row.id)", "id")
    .where({ agentId })
    .getRawOne<{ id: string | null }>();
  let last = row?.id;
  return () => {
    last = uuidAfter(last);
    return last;
  };
}

/** Returns the number for an agent's next sample contact. */
async function nextNumber(reader: EntityManager, agentId: string): Promise<number> {
  const row = await reader
    .createQueryBuilder(Contact, "contact")
    .select("MAX(contact.ref)", "ref")
    .where({ agentId })
    .andWhere("contact.ref BETWEEN :first AND :last", { first: sampleRef(0), last: sampleRef(999_999_999) })
    .andWhere("contact.ref LIKE 'sample-_________'")
    .getRawOne<{ ref: string | null }>();
  const [, digits] = /^sample-(\d{9})$/.exec(row?.ref ?? "") ?? [];
  return digits === undefined ? 1 : Number(digits) + 1;
}
