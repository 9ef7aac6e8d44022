import { DAY_MS, timestamp, timestampOf } from "../../src/common/time";
import { Lane } from "../../src/delivery/lane.entity";
import { ConsentSource, ConsentState } from "../../src/features/contacts/consent.entity";
import { Contact } from "../../src/features/contacts/contact.entity";
import { AddressKind, ContactAddress } from "../../src/features/contacts/contact-address.entity";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { addContact } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { addLine, lineClient } from "../support/lines";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const { scheduled, delivered, canceled } = MessageStatus;

const TOPICS = {
  news: { title: "Newsletter", default: "out" },
  orders: { title: "Your orders", default: "in" },
};

const DOCUMENT = {
  burstSeconds: 0,
  situations: { news: {}, order: {}, alert: {}, plain: {}, anywhere: {} },
  templates: {
    news: { text: "News", topic: "news" },
    order: { text: "Order", topic: "orders" },
    plain: "Plain",
  },
  rules: [
    { id: "news", on: "news", do: [{ send: "news" }] },
    { id: "order", on: "order", do: [{ send: "order" }] },
    { id: "alert", on: "alert", do: [{ send: "order", topic: "news", urgent: true }] },
    { id: "plain", on: "plain", do: [{ send: "plain" }] },
    { id: "anywhere", on: "anywhere", do: [{ send: "order", line: ["main", "second"] }] },
  ],
};

const OPTED_OUT = { code: "opted_out", message: expect.stringContaining('opted out of the topic "') };
const NOT_IN = { code: "opted_out", message: expect.stringContaining('not opted in to the topic "news"') };

describeGateway({ engine: "any", env: { DELIVERY_WORKERS: "1" } }, (gateway) => {
  let agentId: string;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    await addLine(gateway, { agentId, name: "second" });
  });
  beforeEach(() => publishPolicy());

  const publishPolicy = (policy: object = {}) =>
    publish(gateway, agentId, { ...DOCUMENT, policy: { topics: TOPICS, ...policy } });
  /** Adds a contact with a conversation on a line. */
  const newContact = async (line?: string, addresses: string[] = [`at ${Math.random()}`]) => {
    const id = await addContact(gateway, {
      agentId,
      addresses: addresses.map((address) => ({ kind: AddressKind.local, address })),
    });
    const { body } = await conversationClient(gateway).open({ contact: { id }, line });
    return { contactId: id, conversationId: body.data.openConversation.conversation.id };
  };
  const consent = (contactId: string, topic: string, state: keyof typeof ConsentState) =>
    gateway.services.database.write(async (tx) => {
      const contact = await tx.findOneByOrFail(Contact, { id: contactId });
      const addresses = await tx.findBy(ContactAddress, { contactId });
      const more = { state: ConsentState[state], source: ConsentSource.contact, evidence: null };
      await gateway.services.consents.store(tx, [{ contact, addresses, topic, ...more }]);
    });
  const decide = async (about: { conversationId?: string; contact?: object }, type: string, more = {}) => {
    const { body } = await decisionClient(gateway).decide({ type, ...about, ...more });
    return body.explanation.effects[0];
  };
  const messageOf = (id: string) => gateway.rows.findOneByOrFail(Message, { id });
  const become = async (id: string, status: MessageStatus) => {
    await waitUntil(async () => (await messageOf(id)).status === status);
    return messageOf(id);
  };

  test("a message is sent about a topic that the contact has opted in to or not opted out of", async () => {
    const { contactId, ...at } = await newContact();
    const order = await decide(at, "order");
    expect(order).toMatchObject({ status: "done", topic: "orders" });
    expect(await become(order.messageId, delivered)).toMatchObject({ topic: "orders" });
    const { body } = await gateway.rest("GET", `/messages/${order.messageId}`);
    expect(body).toMatchObject({ topic: "orders" });

    expect(await decide(at, "news")).toMatchObject({ status: "failed", topic: "news", error: NOT_IN });
    await consent(contactId, "news", "in");
    await become((await decide(at, "news")).messageId, delivered);

    await consent(contactId, "orders", "out");
    expect(await decide(at, "order")).toMatchObject({ status: "failed", error: OPTED_OUT });
    const plain = await decide(at, "plain");
    expect(plain.topic).toBeUndefined();
    expect(await become(plain.messageId, delivered)).toMatchObject({ topic: null });
  });

  test("nothing overrides an opt-out, not even urgency, and dry runs say so", async () => {
    const { contactId, ...at } = await newContact();
    expect(await decide(at, "alert", { dryRun: true })).toMatchObject({ status: "failed", error: NOT_IN });
    await consent(contactId, "news", "in");
    await become((await decide(at, "alert")).messageId, delivered);
    await consent(contactId, "news", "out");
    expect(await decide(at, "alert")).toMatchObject({ status: "failed", topic: "news", error: OPTED_OUT });
    await consent(contactId, "news", "in");
    await consent(contactId, "*", "out");
    const error = { code: "opted_out", message: expect.stringContaining("messages to this address") };
    expect(await decide(at, "alert")).toMatchObject({ status: "failed", error });
  });

  test("a message is canceled when it is due if the contact has opted out of its topic", async () => {
    const { id: lineId, name } = await addLine(gateway, { agentId });
    const { contactId, ...at } = await newContact(name);
    const { contactId: another, ...elsewhere } = await newContact(name);
    await consent(another, "news", "in");
    await lineClient(gateway).pause(lineId);
    const order = await decide(at, "order");
    const plain = await decide(at, "plain");
    const news = await decide(elsewhere, "alert");
    await consent(contactId, "orders", "out");
    await lineClient(gateway).resume(lineId);
    expect(await become(order.messageId, canceled)).toMatchObject({ errorCode: "opted_out", attempts: 0 });
    await become(plain.messageId, delivered);
    await become(news.messageId, delivered);
  });

  test("the live policy says which topics require an opt-in, and an opt-out applies even without a policy", async () => {
    const { id: lineId, name } = await addLine(gateway, { agentId });
    const { contactId, ...at } = await newContact(name);
    await lineClient(gateway).pause(lineId);
    const order = await decide(at, "order");
    await publishPolicy({ topics: { ...TOPICS, orders: { title: "Orders", default: "out" } } });
    await lineClient(gateway).resume(lineId);
    await become(order.messageId, canceled);

    await lineClient(gateway).pause(lineId);
    await publishPolicy();
    const second = await decide(at, "order");
    await consent(contactId, "orders", "out");
    await publish(gateway, agentId, { rules: [] });
    await lineClient(gateway).resume(lineId);
    expect(await become(second.messageId, canceled)).toMatchObject({ errorCode: "opted_out" });
  });

  test("none of several lines reaches a contact about a topic that it opted out of", async () => {
    const { contactId } = await newContact();
    await consent(contactId, "orders", "out");
    const effect = await decide({ contact: { id: contactId } }, "anywhere");
    expect(effect).toMatchObject({
      status: "failed",
      obstacles: [
        { line: "main", error: OPTED_OUT },
        { line: "second", error: OPTED_OUT },
      ],
    });
  });

  test("an opt-out of a topic still applies when the address is added again, even in dry runs", async () => {
    const address = `again ${Math.random()}`;
    const { contactId } = await newContact(undefined, [address]);
    await consent(contactId, "orders", "out");
    await gateway.rest("DELETE", `/agent/contacts/${contactId}`);
    const contact = { address: { kind: "local", address } };
    for (const dryRun of [true, false])
      expect(await decide({ contact }, "order", { dryRun })).toMatchObject({ error: OPTED_OUT });
  });

  test("a cap on a topic counts and holds back only messages about it", async () => {
    await publishPolicy({ caps: [{ max: 1, within: "P1D", topics: ["news"] }] });
    const { contactId, ...at } = await newContact();
    await consent(contactId, "news", "in");
    for (const type of ["order", "plain", "alert"])
      await become((await decide(at, type)).messageId, delivered);
    const first = await become((await decide(at, "news")).messageId, delivered);
    const second = await become((await decide(at, "news")).messageId, scheduled);
    const until = timestampOf(Date.parse(first.sentAt ?? "") + DAY_MS);
    expect(second).toMatchObject({ sendAt: until, scheduledReason: "cap", scheduledBy: "policy.caps[0]" });
    const query = "query ($id: ID!) { message(id: $id) { topic gates { name until path topic } } }";
    const { body } = await gateway.graphql(query, { id: second.id });
    const gate = { name: "cap", until, path: "policy.caps[0]", topic: "news" };
    expect(body.data.message).toEqual({ topic: "news", gates: [gate] });
    await become((await decide(at, "order")).messageId, delivered);

    await consent(contactId, "news", "out");
    await gateway.services.database.write(async (tx) => {
      await tx.update(Message, { id: second.id }, { sendAt: timestamp(-1) });
      await tx.update(Lane, { id: second.id }, { wakeAt: timestamp(-1) });
    });
    gateway.services.lanes.notify();
    await become(second.id, canceled);
  });
});
