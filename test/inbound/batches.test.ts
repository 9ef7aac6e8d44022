import { In } from "typeorm";
import { timestamp } from "../../src/common/time";
import { Lane } from "../../src/delivery/lane.entity";
import { Contact } from "../../src/features/contacts/contact.entity";
import { AddressKind, ContactAddress } from "../../src/features/contacts/contact-address.entity";
import { Conversation, Handler } from "../../src/features/conversations/conversation.entity";
import { Decision } from "../../src/features/decisions/decision.entity";
import { Event } from "../../src/features/events/event.entity";
import type { Inbound } from "../../src/features/inbound/arrivals";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { comparable, withoutOvertaking } from "../support/batches";
import { addContact } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { publish } from "../support/decisions";
import { mint, operator } from "../support/gateway";
import { addSender } from "../support/inbound";
import { PUBLIC_URL } from "../support/lines";
import { numbers } from "../support/numbers";
import { firstAgentId } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

const CONFIGURATION = {
  burstSeconds: 60,
  templates: { echo: "You said: {{ message.text }}" },
  rules: [{ id: "echo", on: "message.received", do: [{ send: "echo" }] }],
};

const TEXTS = ["Hello", "How are you?", "Bye", "Hello again", "Thanks", "STOP", "START"];
const SENDERS = 5;
const MESSAGES = 60;

describeGateway((gateway) => {
  const database = () => gateway.services.database;
  const phone = (i: number) => `+4915112345${100 + i}`;

  /** Adds an agent with two lines and three contacts: one has opted out, and a human answers another one. */
  async function newAgent(slug: string) {
    const agent = { slug, name: "Agent" };
    const { id: agentId } = await gateway.services.agents.create(await operator(gateway, "first"), agent);
    await publish(gateway, agentId, CONFIGURATION);
    const lines: string[] = [];
    for (const name of ["one", "two"]) {
      const line = { agentId, name, url: PUBLIC_URL, optOutReply: "You will hear no more." };
      lines.push((await addSender(gateway, line)).lineId);
    }
    for (const i of [0, 1, 2])
      await addContact(gateway, {
        agentId,
        ref: `ref ${i}`,
        addresses: [{ kind: AddressKind.phone, address: phone(i) }],
      });
    await database().write((tx) =>
      tx.update(ContactAddress, { agentId, address: phone(1) }, { optedOutAt: timestamp() }),
    );
    const { inbound } = gateway.services;
    const found = await Promise.all(lines.map((id) => inbound.lineFor(id, null)));
    const receive = ({ line, ...message }: Inbound & { line: number }) =>
      inbound.receive((found[line] as (typeof found)[number]).line, message);
    await receive({ ...written("before", 2, "Help"), line: 0 });
    await database().write((tx) => tx.update(Conversation, { agentId }, { handler: Handler.human }));
    return { agentId, lines, receive };
  }

  const written = (providerId: string, from: number, text: string): Inbound => ({
    providerId,
    from: phone(from),
    name: `Sender ${from}`,
    text,
    sentAt: "2026-11-21T05:36:59.000Z" as never,
    omitted: null,
    isAutomatic: text === "Bye",
  });

  /** Returns messages from several senders; each sender repeats some of them, and two senders write most of them. */
  function messages(seed: number): (Inbound & { line: number })[] {
    const number = numbers(seed);
    return Array.from({ length: MESSAGES }, (_, i) => {
      const from = number(2) === 0 ? number(SENDERS) : 3;
      const text = TEXTS[number(number(3) === 0 ? TEXTS.length : 2)] as string;
      const line = number(4) === 0 ? 1 : 0;
      const id = number(6) === 0 ? `repeated by ${from} on ${line}` : `own ${i}`;
      return { ...written(id, from, text), line };
    });
  }

  /** Returns the rows of an agent, without times, and with numbers instead of IDs. */
  async function storedBy(agentId: string, lines: readonly string[]): Promise<string> {
    const stored = await database().read(async (reader) => {
      const addresses = await reader.find(ContactAddress, { where: { agentId }, order: { address: "ASC" } });
      const contacts = await reader.findBy(Contact, { agentId });
      const conversations = await reader.findBy(Conversation, { agentId });
      const all = await reader.find(Message, { where: { agentId }, order: { sequence: "ASC" } });
      const decisions = await reader.find(Decision, { where: { agentId }, order: { id: "ASC" } });
      const lanes = await reader.findBy(Lane, { agentId, id: In(decisions.map(({ id }) => id)) });
      const events = await reader.find(Event, { where: { agentId }, order: { position: "ASC" } });
      const eventsOf = (subject: string) =>
        events.filter((each) => each.subject === subject).map(({ type, data }) => [type, data]);
      return {
        lanes: lanes.length,
        contacts: addresses.map((address) => ({
          address,
          contact: contacts.find(({ id }) => id === address.contactId),
          events: eventsOf(`contact:${address.contactId}`),
          conversations: lines.map((lineId) => {
            const conversation = conversations.find(
              (each) => each.lineId === lineId && each.addressId === address.id,
            );
            const isIn = (each: { conversationId: string | null }) =>
              each.conversationId === conversation?.id;
            return {
              conversation,
              messages: all.filter(isIn),
              decisions: decisions.filter(isIn),
              events: eventsOf(`conversation:${conversation?.id}`),
            };
          }),
        })),
      };
    });
    return comparable(stored);
  }

  async function expectOrderOfOneByOne(seed: number): Promise<void> {
    const one = await newAgent(`one-at-a-time-${seed}`);
    const alone: boolean[] = [];
    for (const message of messages(seed)) alone.push((await one.receive(message)).isNew);

    const many = await newAgent(`all-together-${seed}`);
    const together = await withoutOvertaking(() =>
      Promise.all(messages(seed).map((message) => many.receive(message))),
    );
    expect(await storedBy(many.agentId, many.lines)).toBe(await storedBy(one.agentId, one.lines));
    expect(together.map(({ isNew }) => isNew)).toEqual(alone);
    expect(alone).toContain(false);
  }
  test("messages that arrive together are stored as if they arrived one after the other", () =>
    expectOrderOfOneByOne(1));
  slowTest.each([2, 3])("so are other messages that arrive together (%i)", expectOrderOfOneByOne);

  test("a burst from a contact is accepted as a whole, with a decision for every twenty messages", async () => {
    const agentId = await firstAgentId(gateway);
    await publish(gateway, agentId, CONFIGURATION);
    const sender = await addSender(gateway, { agentId });
    const replies = await Promise.all(Array.from({ length: 45 }, () => sender.text("anna", "Hello")));
    expect(replies.map(({ status }) => status)).toEqual(Array(45).fill(202));
    const { conversationId } = replies[0]?.body ?? {};
    const decisions = await database().read((reader) =>
      reader.find(Decision, { where: { conversationId }, order: { id: "ASC" } }),
    );
    const ids = decisions.map(({ situation }) => situation.data.messageIds as string[]);
    expect(ids.map(({ length }) => length)).toEqual([20, 20, 5]);
    expect(ids.flat().sort()).toEqual(replies.map(({ body }) => body.id).sort());
  });

  test("messages queued before an opt-out are canceled, even if the address is immediately opted in again", async () => {
    const { agentId, receive } = await newAgent("out-and-in");
    const { message } = await receive({ ...written("hello", 0, "Hello"), line: 0 });
    const { secret } = await mint(gateway, { agent: "out-and-in" });
    const queue = conversationClient(gateway, secret);
    for (let i = 0; i < 14; i++) await queue.send(message.conversationId as string, `news ${i}`);
    await Promise.all([
      receive({ ...written("stop", 0, "STOP"), line: 0 }),
      receive({ ...written("start", 0, "START"), line: 0 }),
    ]);
    const queued = await database().read((reader) =>
      reader.countBy(Message, { agentId, status: MessageStatus.queued }),
    );
    expect(queued).toBe(0);
  });

  test("if the database rejects one of several messages that arrive together, only that one is rejected", async () => {
    const { receive } = await newAgent("rejected");
    const impossible = { text: null as never, replyText: "Hello" };
    const outcomes = await Promise.allSettled([
      receive({ ...written("first", 0, "Hello"), line: 0 }),
      receive({ ...written("second", 4, "Hello"), ...impossible, line: 0 }),
      receive({ ...written("third", 3, "Hello"), line: 1 }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });
});
