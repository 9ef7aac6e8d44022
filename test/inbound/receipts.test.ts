import { v7 as uuid } from "uuid";
import { HOUR_MS, timestamp, timestampOf } from "../../src/common/time";
import { Lane } from "../../src/delivery/lane.entity";
import { SCHEDULE_LANE } from "../../src/delivery/wake-lanes";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Conversation } from "../../src/features/conversations/conversation.entity";
import { Event } from "../../src/features/events/event.entity";
import { EarlyReceipt } from "../../src/features/inbound/early-receipt.entity";
import { DeliveryAttempt } from "../../src/features/messages/delivery-attempt.entity";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { addContact } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { postgres } from "../support/engines";
import { startGateway } from "../support/gateway";
import { addSender, type Sender } from "../support/inbound";
import { lineClient } from "../support/lines";
import { firstAgentId } from "../support/people";
import { type Reaction, Receiver } from "../support/receiver";
import { DELIVERING, describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const AN_HOUR_AGO = new Date(Date.now() - 3_700_000).toISOString();

describeGateway({ engine: "one", env: DELIVERING }, (gateway) => {
  let receiver: Receiver;
  let sender: Sender;
  let agentId: string;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    receiver = await Receiver.start();
    sender = await addSender(gateway, { agentId, name: "sms", url: receiver.url() });
  });
  afterAll(() => receiver.close());

  const read: typeof gateway.services.database.read = (query) => gateway.services.database.read(query);
  const messageOf = async (id: string) => (await gateway.rest("GET", `/messages/${id}`)).body;
  const become = (id: string, status: string) =>
    waitUntil(async () => (await messageOf(id)).status === status);

  /**
   * Sends a message to a new contact.
   * @returns its ID
   */
  const send = async (): Promise<string> => {
    const address = { kind: AddressKind.phone, address: `+49151${String(Math.random()).slice(2, 10)}` };
    const contactId = await addContact(gateway, { agentId, addresses: [address] });
    const { body } = await conversationClient(gateway).open({
      contact: { id: contactId },
      line: "sms",
      message: "Hello",
    });
    return body.data.openConversation.message.id;
  };
  /** Makes the receiver answer each request with its own message ID. */
  const name = (providerId: string): void => {
    receiver.reaction = (response) => response.end(JSON.stringify({ providerId }));
  };

  const ORDERS = [
    ["delivered", "sent", "read", "delivered"],
    ["read", "delivered", "sent"],
    ["sent", "delivered", "delivered", "read"],
  ];
  test.each(ORDERS.map((order) => [order.join(", "), order] as const))(
    "%s ends at read",
    async (_, order) => {
      const providerId = uuid();
      name(providerId);
      const id = await send();
      await become(id, "sent");
      for (const [i, status] of order.entries()) {
        const which = i % 2 === 0 ? { messageId: id } : { providerId };
        const reply = await sender.receipt({ ...which, status, timestamp: "2026-11-21T06:37:02Z" });
        expect(reply).toMatchObject({ status: 200, body: { messageId: id } });
      }
      expect(await messageOf(id)).toMatchObject({ status: "read", readAt: "2026-11-21T06:37:02.000Z" });
    },
  );

  test("a rejected message stays failed with its reason", async () => {
    name(uuid());
    const id = await send();
    await become(id, "sent");
    await sender.receipt({ messageId: id, status: "failed", errorCode: 30006 });
    const { body } = await sender.receipt({ messageId: id, status: "sent" });
    expect(body).toEqual({ messageId: id, status: "failed" });
    expect(await messageOf(id)).toMatchObject({
      status: "failed",
      errorCode: "rejected",
      errorText: "30006",
    });
  });

  test.each<[string, string, (respond: (status: number) => void, id: string) => unknown]>([
    ["failed", "a rejection", (respond) => respond(400)],
    ["canceled", "a temporary failure", (respond) => respond(503)],
    [
      "failed",
      "a receipt",
      async (respond, messageId) => {
        respond(200);
        await become(messageId, "sent");
        await sender.receipt({ messageId, status: "failed", errorCode: "Anna is unknown" });
      },
    ],
  ])(
    "a message ends as %s, without an error text, by %s after its contact was erased",
    async (status, _, end) => {
      const held: Parameters<Reaction>[0][] = [];
      receiver.reaction = (response) => held.push(response);
      const id = await send();
      await waitUntil(() => held.length > 0);
      const { conversationId } = await messageOf(id);
      const { contactId } = (await gateway.rest("GET", `/agent/conversations/${conversationId}`)).body;
      await gateway.rest("DELETE", `/agent/contacts/${contactId}`);
      await end((code) => held[0]?.writeHead(code).end("Anna is unknown"), id);
      await become(id, status);
      const message = await read((reader) => reader.findOneBy(Message, { id }));
      expect(message).toMatchObject({ text: "", errorText: null });
      const attempts = await read((reader) => reader.findBy(DeliveryAttempt, { messageId: id }));
      expect(attempts).toMatchObject([{ detail: null }]);
    },
  );

  test("a receipt that arrives before the response to the send is applied when that response names the message", async () => {
    const held: Parameters<Reaction>[0][] = [];
    receiver.reaction = (response) => held.push(response);
    const providerId = uuid();
    const id = await send();
    await waitUntil(() => held.length > 0);
    const early = await sender.receipt({
      providerId,
      status: "delivered",
      timestamp: "2026-11-21T06:37:02Z",
    });
    expect(early).toMatchObject({ status: 200, body: {} });
    held[0]?.end(JSON.stringify({ providerId }));
    await become(id, "delivered");
    expect(await messageOf(id)).toMatchObject({ providerId, deliveredAt: "2026-11-21T06:37:02.000Z" });
    await waitUntil(async () => (await read((reader) => reader.countBy(EarlyReceipt, { providerId }))) === 0);
  });

  test("a receipt for a message that stays unknown is forgotten after an hour", async () => {
    const providerId = uuid();
    await sender.receipt({ providerId, status: "delivered" });
    await gateway.services.database.write((tx) =>
      tx.update(EarlyReceipt, { providerId }, { createdAt: AN_HOUR_AGO, dueAt: AN_HOUR_AGO }),
    );
    await waitUntil(async () => (await read((reader) => reader.countBy(EarlyReceipt, { providerId }))) === 0);
    await waitUntil(
      async () => (await read((reader) => reader.countBy(Lane, { kind: "receipt" as never }))) === 0,
    );
  });

  test("a line changes only messages that it has sent", async () => {
    name(uuid());
    const id = await send();
    await become(id, "sent");
    const other = await addSender(gateway, { agentId });
    const unknown = [
      other.receipt({ messageId: id, status: "read" }),
      sender.receipt({ messageId: uuid(), status: "read" }),
    ];
    for (const reply of await Promise.all(unknown))
      expect(reply).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect((await messageOf(id)).status).toBe(MessageStatus.sent);
  });

  test.each<[object, string]>([
    [{ status: "read" }, "messageId or providerId must be given, but not both"],
    [
      { messageId: uuid(), providerId: "x", status: "read" },
      "messageId or providerId must be given, but not both",
    ],
    [{ messageId: uuid() }, "status must be a string"],
    [{ messageId: uuid(), status: "queued" }, "status must be one of sent, delivered, read, failed"],
    [{ messageId: 1, status: "read" }, "messageId must be a string"],
    [{ messageId: uuid(), status: "failed", errorCode: "x".repeat(501) }, "errorCode must have at most 500"],
    [{ providerId: "x".repeat(201), status: "read" }, "providerId must have at most 200 characters"],
    [{ messageId: uuid(), status: "read", timestamp: "yesterday" }, "timestamp must be a time in RFC 3339"],
  ])("%j is rejected", async (receipt, message) => {
    const reply = await sender.receipt(receipt);
    expect(reply).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    expect(reply.body.message).toContain(message);
  });
});

const NEWS = {
  situations: { news: {} },
  templates: { news: "News" },
  rules: [{ id: "news", on: "news", do: [{ send: "news" }] }],
};

/** Returns a policy whose window opens in two hours. */
function closedPolicy() {
  const time = (afterMs: number) => timestampOf(Date.now() + afterMs).slice(11, 16);
  return { windows: [{ from: time(2 * HOUR_MS), to: time(3 * HOUR_MS) }] };
}

/** Receipts for messages that were rescheduled after an attempt whose result is unknown. */
describeGateway({ env: { DELIVERY_WORKERS: "2", ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" } }, (gateway) => {
  let agentId: string;
  let receiver: Receiver;
  let sender: Sender;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    receiver = await Receiver.start();
    // The receiver accepts each message, but its response is lost.
    receiver.reaction = (response) => response.destroy();
    sender = await addSender(gateway, { agentId, name: "sms", url: receiver.url() });
  });
  afterAll(() => receiver.close());

  const read: typeof gateway.services.database.read = (query) => gateway.services.database.read(query);
  const messageOf = (id: string) => read((reader) => reader.findOneByOrFail(Message, { id }));
  const conversationOf = (id: string) => read((reader) => reader.findOneByOrFail(Conversation, { id }));
  const lanesOf = (...ids: string[]) =>
    read(async (reader) => {
      const lanes = await Promise.all(ids.map((id) => reader.findOneBy(Lane, { id })));
      return lanes.flatMap((lane) => lane ?? []);
    });

  /** Waits until the message was attempted, and lets its next attempt find the window closed. */
  async function reschedule(id: string): Promise<Message> {
    await waitUntil(async () => (await messageOf(id)).heldReason === "retry");
    await publish(gateway, agentId, { ...NEWS, policy: closedPolicy() });
    const { conversationId } = await messageOf(id);
    await gateway.services.database.write(async (tx) => {
      await tx.update(Message, { id }, { notBefore: timestamp(-1) });
      await tx.update(Lane, { id: conversationId ?? id }, { wakeAt: timestamp(-1) });
    });
    gateway.services.lanes.notify();
    await waitUntil(async () => (await messageOf(id)).status === "scheduled");
    return messageOf(id);
  }
  /** Sends a message that the receiver gets, and that is then rescheduled. */
  async function rescheduled() {
    await publish(gateway, agentId, NEWS);
    const address = { kind: AddressKind.phone, address: `+4915${String(Math.random()).slice(2, 11)}` };
    const contactId = await addContact(gateway, { agentId, addresses: [address] });
    const { body } = await conversationClient(gateway).open({ contact: { id: contactId }, line: "sms" });
    const conversationId: string = body.data.openConversation.conversation.id;
    const decided = await decisionClient(gateway).decide({ type: "news", conversationId });
    const id: string = decided.body.explanation.effects[0].messageId;
    expect(await reschedule(id)).toMatchObject({ sequence: null, attempts: 1, scheduledReason: "window" });
    return { id, conversationId, contactId };
  }

  test.each(["delivered", "failed"])(
    "a message that turns out to be %s takes the next position in its conversation",
    async (status) => {
      const { id, conversationId } = await rescheduled();
      const before = await conversationOf(conversationId);
      const reply = await sender.receipt({ messageId: id, status });
      expect(reply).toMatchObject({ status: 200, body: { messageId: id, status } });
      const sequence = before.lastSequence + 1;
      expect(await messageOf(id)).toMatchObject({
        ...{ status, sequence, attempts: 1, scheduledReason: null, scheduledBy: null },
      });
      expect((await conversationOf(conversationId)).lastSequence).toBe(sequence);
      expect(await lanesOf(id, conversationId)).toEqual([]);
      const { body } = await conversationClient(gateway).messages(conversationId);
      expect(body.data.conversationMessages.nodes).toMatchObject([{ id, status, sequence }]);
      const { body: gates } = await gateway.graphql(
        "query ($id: ID!) { message(id: $id) { gates { name } } }",
        { id },
      );
      expect(gates.data.message.gates).toEqual([]);
      const subject = `conversation:${conversationId}`;
      const events = await read((reader) => reader.findBy(Event, { agentId, subject }));
      const [last] = events.filter(({ type }) => type === `message.${status}`);
      expect(last?.data).toMatchObject({ id, sequence });
    },
  );

  test("a rescheduled message without a conversation keeps no lane", async () => {
    await publish(gateway, agentId, NEWS);
    await lineClient(gateway).setDefault(sender.lineId);
    const { body } = await decisionClient(gateway).decide({ type: "news" });
    const { messageId: id } = body.explanation.effects[0];
    await reschedule(id);
    expect(await lanesOf(id)).toMatchObject([{ kind: SCHEDULE_LANE }]);
    await sender.receipt({ messageId: id, status: "delivered" });
    expect(await messageOf(id)).toMatchObject({ status: "delivered", sequence: null, scheduledReason: null });
    expect(await lanesOf(id)).toEqual([]);
  });
});

test("receipts of an organization that wait for each other leave connections to others", async () => {
  const gateway = await startGateway(postgres);
  const { database, lanes } = gateway.services;
  const sender = await addSender(gateway, { agentId: await firstAgentId(gateway), name: "sms" });
  const { id } = (await gateway.rest("POST", "/messages", { body: { message: "Hello" } })).body;
  await database.write((tx) => tx.update(Message, { id }, { lineId: sender.lineId, attempts: 1 }));
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let holding = Promise.resolve();
  await new Promise<void>((locked) => {
    holding = database.write(async (tx) => {
      await lanes.lock(tx, id);
      locked();
      await held;
    });
  });
  const receipts = Array.from({ length: 20 }, () => sender.receipt({ messageId: id, status: "delivered" }));
  try {
    await waitUntil(() => (database.stats().waiting.transaction ?? 0) > 0);
    expect(await database.write(async () => "another")).toBe("another");
  } finally {
    letGo();
    await Promise.all([holding, ...receipts]);
    await gateway.close();
  }
});
