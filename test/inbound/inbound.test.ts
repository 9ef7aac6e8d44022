import { v7 as uuid } from "uuid";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Decision, DecisionState } from "../../src/features/decisions/decision.entity";
import { Message } from "../../src/features/messages/message.entity";
import { MessageDirection, MessageStatus } from "../../src/features/messages/message.enums";
import { agentClient } from "../support/agents";
import { addContact, contactClient } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { operator } from "../support/gateway";
import { addSender, type Sender, senderOn } from "../support/inbound";
import { lineClient } from "../support/lines";
import { addOrganization, firstAgentId } from "../support/people";
import { Receiver } from "../support/receiver";
import { DELIVERING, describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const CONFIGURATION = {
  burstSeconds: 0,
  templates: { echo: "You said: {{ message.text }}" },
  rules: [{ id: "echo", on: "message.received", do: [{ send: "echo" }] }],
};

/** Collects messages until the test ends their burst, however slow the machine is. */
const COLLECTING = { ...CONFIGURATION, burstSeconds: 60 };

const INBOUND = { direction: MessageDirection.inbound };

/** Returns a phone number that no other test uses. */
const phone = () => `+49151${String(Math.random()).slice(2, 10)}`;

describeGateway({ engine: "any", env: DELIVERING }, (gateway) => {
  let agentId: string;
  let receiver: Receiver;
  let sender: Sender;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    receiver = await Receiver.start();
    await publish(gateway, agentId, CONFIGURATION);
    sender = await addSender(gateway, {
      agentId,
      url: receiver.url(),
      optOutReply: "You will hear no more.",
      optOutWords: ["Arrêt"],
    });
  });
  afterAll(() => receiver.close());

  const read: typeof gateway.services.database.read = (query) => gateway.services.database.read(query);
  const messagesIn = (conversationId: string) =>
    read((reader) => reader.find(Message, { where: { conversationId }, order: { sequence: "ASC" } }));
  const decisionsAbout = (conversationId: string) =>
    read((reader) => reader.find(Decision, { where: { conversationId }, order: { id: "ASC" } }));
  const decided = async (conversationId: string): Promise<Decision[]> => {
    await waitUntil(async () => {
      const all = await decisionsAbout(conversationId);
      return all.length > 0 && all.every(({ state }) => state !== DecisionState.deciding);
    });
    return decisionsAbout(conversationId);
  };
  const endBurst = async (conversationId: string) => {
    const { database, lanes } = gateway.services;
    const ids = (await decisionsAbout(conversationId)).map(({ id }) => id);
    await database.write((tx) => lanes.wake(tx, ids));
  };

  test("ten identical concurrent requests store one message, which is decided and answered once", async () => {
    const from = phone();
    const body = { id: uuid(), from, text: "Hello", timestamp: "2026-11-21T06:36:59+01:00" };
    const replies = await Promise.all(Array.from({ length: 10 }, () => sender.message(body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 202]);
    const [first] = replies;
    for (const reply of replies) expect(reply.body).toEqual(first?.body);
    const { id, conversationId } = first?.body ?? {};
    expect(first?.body).toMatchObject({ status: "received", contactId: expect.any(String) });
    const [decision, ...others] = await decided(conversationId);
    expect(others).toEqual([]);
    expect(decision).toMatchObject({
      ruleId: "echo",
      situation: { type: "message.received", data: { messageIds: [id] } },
      snapshot: { message: { text: "Hello", sequence: 1 } },
    });
    await waitUntil(() => receiver.received.some(({ body }) => body.includes(conversationId)));
    expect(await messagesIn(conversationId)).toMatchObject([
      {
        id,
        text: "Hello",
        direction: "inbound",
        author: "contact",
        status: "received",
        sequence: 1,
        decisionId: decision?.id,
        lineId: sender.lineId,
        providerId: body.id,
        sentAt: "2026-11-21T05:36:59.000Z",
      },
      { text: "You said: Hello", author: "agent", decisionId: decision?.id, sequence: 2 },
    ]);
  });

  describe("while messages are collected", () => {
    beforeEach(() => publish(gateway, agentId, COLLECTING));
    afterEach(() => publish(gateway, agentId, CONFIGURATION));

    test("messages that follow each other quickly get one decision that lists them all", async () => {
      const from = phone();
      const replies = [];
      for (const text of ["one", "two", "three"]) replies.push(await sender.text(from, text));
      const ids = replies.map(({ body }) => body.id);
      const { conversationId } = replies[0]?.body ?? {};
      await endBurst(conversationId);
      const [decision, ...others] = await decided(conversationId);
      expect(others).toEqual([]);
      expect(decision?.situation.data).toEqual({ messageIds: ids });
      expect(decision?.snapshot?.message).toEqual({ text: "one\ntwo\nthree", subject: null, sequence: 3 });
      expect((await messagesIn(conversationId)).map(({ decisionId }) => decisionId)).toEqual(
        Array(4).fill(decision?.id),
      );
    });
  });

  test.each([" stop\n", "ARRET!"])(
    "%j opts out: queued messages are canceled, and one confirmation is the only answer",
    async (word) => {
      const from = phone();
      await lineClient(gateway).pause(sender.lineId);
      const { body } = await sender.text(from, "Hello");
      await decided(body.conversationId);
      expect(await sender.text(from, word)).toMatchObject({ status: 202 });
      expect(await sender.text(from, word)).toMatchObject({ status: 202 });
      await lineClient(gateway).resume(sender.lineId);
      await waitUntil(async () => (await messagesIn(body.conversationId))[3]?.status === MessageStatus.sent);
      expect(await messagesIn(body.conversationId)).toMatchObject([
        { text: "Hello", status: "received" },
        { text: "You said: Hello", status: "canceled", errorCode: "opted_out" },
        { text: word, status: "received", decisionId: null },
        { text: "You will hear no more.", author: "system", status: "sent" },
        { text: word, status: "received", decisionId: null },
      ]);
      expect(await decisionsAbout(body.conversationId)).toHaveLength(1);
      const { body: contact } = await gateway.rest("GET", `/agent/contacts/${body.contactId}`);
      expect(contact.addresses).toMatchObject([{ address: from, optedOutAt: expect.any(String) }]);
    },
  );

  test("START opts in again, and is an ordinary message otherwise", async () => {
    const from = phone();
    const { body } = await sender.text(from, "start");
    await decided(body.conversationId);
    await sender.text(from, "STOP");
    const { body: start } = await sender.text(from, "Start");
    expect(start.decisionId).toBeUndefined();
    const { body: contact } = await gateway.rest("GET", `/agent/contacts/${body.contactId}`);
    expect(contact.addresses[0].optedOutAt).toBeUndefined();
    const types = (await eventsOfContact(body.contactId)).map(({ type }) => type);
    expect(types).toEqual([
      "contact.created",
      ...["contact.consent_changed", "contact.opted_out"],
      ...["contact.consent_changed", "contact.opted_in"],
    ]);
  });

  const eventsOfContact = (contactId: string): Promise<{ type: string; data: object }[]> =>
    read((reader) =>
      reader.query("select type, data from event where subject = $1 order by position", [
        `contact:${contactId}`,
      ]),
    );

  test("a sentence with a keyword is plain text", async () => {
    const { body } = await sender.text(phone(), "please stop by");
    expect(await decided(body.conversationId)).toMatchObject([{ ruleId: "echo" }]);
  });

  test("messages from an opted-out contact are stored, but not answered", async () => {
    const from = phone();
    const { body } = await sender.text(from, "stop");
    const { body: again } = await sender.text(from, "Are you there?");
    const [decision] = await decided(again.conversationId);
    expect(decision?.explanation?.value.effects).toMatchObject([
      { kind: "send", error: { code: "opted_out" } },
    ]);
    expect(await messagesIn(body.conversationId)).toHaveLength(3);
  });

  test("a four-hour-old signature is accepted for an unknown ID", async () => {
    const at = new Date(Date.now() - 4 * 3_600_000);
    const message = { id: uuid(), from: phone(), text: "late" };
    expect(await sender.message(message, { at })).toMatchObject({ status: 202 });
    expect(await sender.message(message, { at })).toMatchObject({ status: 200 });
  });

  test.each<[string, (sender: Sender) => Parameters<Sender["message"]>[1]]>([
    ["another secret", () => ({ secret: `whsec_${Buffer.alloc(32).toString("base64")}` })],
    ["a signature of last week", () => ({ at: new Date(Date.now() - 7 * 86_400_000) })],
    ["a signature of tomorrow", () => ({ at: new Date(Date.now() + 86_400_000) })],
    ["no signature", () => ({ headers: {} })],
    ["an API key", () => ({ headers: { authorization: `Bearer ${gateway.key}` } })],
    [
      "a signature that is not base64",
      () => ({
        headers: {
          "webhook-id": "1",
          "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
          "webhook-signature": "v1,%%% v1, v1a,xyz",
        },
      }),
    ],
  ])("a request with %s is rejected as unsigned", async (_, signing) => {
    const before = await read((reader) => reader.countBy(Message, INBOUND));
    for (const reply of [
      await sender.message({ id: uuid(), from: phone(), text: "Hi" }, signing(sender)),
      await sender.receipt({ messageId: uuid(), status: "read" }, signing(sender)),
    ]) {
      expect(reply).toMatchObject({ status: 401, body: { code: "invalid_signature" } });
      expect(reply.headers.get("www-authenticate")).toBe("Standard-Webhooks");
    }
    expect(await read((reader) => reader.countBy(Message, INBOUND))).toBe(before);
  });

  test("one line's secret is not valid for another line, and a line without a secret accepts none", async () => {
    const other = await addSender(gateway, { agentId });
    const message = { id: uuid(), from: phone(), text: "Hi" };
    expect(await sender.message(message, { secret: other.secret })).toMatchObject({ status: 401 });
    const { body } = await gateway.rest("GET", "/agent/lines");
    const main = body.find(({ name }: { name: string }) => name === "main");
    const local = await sender.post(`/inbound/${main.id}`, message);
    expect(local).toMatchObject({ status: 401, body: { code: "invalid_signature" } });
    for (const id of [uuid(), "no-uuid", "%00", "..%2f"])
      expect(await sender.post(`/inbound/${id}`, message)).toMatchObject({ status: 401 });
  });

  test("both secrets are valid for a day after a rotation", async () => {
    const before = await addSender(gateway, { agentId });
    const after = await senderOn(gateway, agentId, before.lineId);
    for (const each of [before, after]) expect(await each.text("anna", "Hi")).toMatchObject({ status: 202 });
    await senderOn(gateway, agentId, before.lineId);
    expect(await before.text("anna", "Hi")).toMatchObject({ status: 401 });
  });

  test.each<[string, unknown, string]>([
    ["a list", [], "The body must be a JSON object."],
    ["no members", {}, "id must be a string; from must be a string; text must be a string"],
    [
      "wrong types",
      { id: 1, from: null, text: {}, timestamp: 5 },
      "id must be a string; from must be a string; text must be a string; timestamp must be a time in RFC 3339 format, such as 2026-11-21T06:36:59Z",
    ],
    ["an address of another kind", { from: "anna@example.com" }, "from must be a phone number"],
    ["a number without country code", { from: "01511234567" }, "from must be a phone number"],
    ["a name that is too long", { from: "A LONG SENDER" }, "from must be a phone number"],
    ["an empty ID", { id: "" }, "id must not be empty"],
    ["a long ID", { id: "x".repeat(201) }, "id must have at most 200 characters"],
    ["a long text", { text: "x".repeat(10_001) }, "text must have at most 10000 characters"],
    ["NUL", { text: "a\0b" }, "text must not contain the NUL character"],
    ["half a character", { text: "\ud83d" }, "text must be well-formed Unicode"],
    ["a day that does not exist", { timestamp: "2026-02-30T00:00:00Z" }, "timestamp must be a time"],
  ])("%s is rejected with the reason", async (_, change, message) => {
    const body = Array.isArray(change)
      ? change
      : Object.keys(change as object).length === 0
        ? {}
        : { id: uuid(), from: phone(), text: "Hi", ...(change as object) };
    const reply = await sender.message(body);
    expect(reply).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    expect(reply.body.message).toContain(message);
  });

  test.each(["68849", "SUPPORT", "My Bank-1"])("a message from the sender %s is stored", async (from) => {
    const { status, body } = await sender.text(from, "Your code is 123456");
    expect(status).toBe(202);
    const { body: contact } = await gateway.rest("GET", `/agent/contacts/${body.contactId}`);
    expect(contact.addresses).toMatchObject([{ kind: "phone", address: from }]);
    expect((await sender.text(from, "Hello again")).body.contactId).toBe(body.contactId);
  });

  test("an empty text and a text of 10,000 characters outside the basic plane are kept", async () => {
    const from = phone();
    expect(await sender.text(from, "")).toMatchObject({ status: 202 });
    const { body, status } = await sender.text(from, "📦".repeat(10_000));
    expect(status).toBe(202);
    const kept = (await messagesIn(body.conversationId)).find(({ id }) => id === body.id);
    expect(kept?.text).toBe("📦".repeat(10_000));
  });

  test("one ID that arrives from two addresses at the same time is stored once", async () => {
    const id = uuid();
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => sender.message({ id, from: phone(), text: "Hi" })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 202]);
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(await read((reader) => reader.countBy(Message, { providerId: id }))).toBe(1);
  });

  test("the same ID on two lines belongs to two messages", async () => {
    const other = await addSender(gateway, { agentId, url: receiver.url() });
    const message = { id: uuid(), from: phone(), text: "Hi" };
    const replies = [await sender.message(message), await other.message(message)];
    expect(replies.map(({ status }) => status)).toEqual([202, 202]);
    expect(replies[0]?.body.contactId).toBe(replies[1]?.body.contactId);
    expect(replies[0]?.body.conversationId).not.toBe(replies[1]?.body.conversationId);
  });

  test("a known contact is found by its address in any notation", async () => {
    const from = phone();
    const contactId = await addContact(gateway, {
      agentId,
      name: "Anna",
      addresses: [{ kind: AddressKind.phone, address: from }],
    });
    const { body } = await sender.text(`${from.slice(0, 3)} ${from.slice(3, 6)}-${from.slice(6)}`, "Hi");
    expect(body.contactId).toBe(contactId);
  });

  test("the next message after a conversation is closed opens a new one", async () => {
    await publish(gateway, agentId, COLLECTING);
    const from = phone();
    const { body } = await sender.text(from, "Hi");
    await conversationClient(gateway).close(body.conversationId);
    await publish(gateway, agentId, CONFIGURATION);
    const { body: next } = await sender.text(from, "Hi again");
    expect(next.conversationId).not.toBe(body.conversationId);
    expect(next.contactId).toBe(body.contactId);
    await endBurst(body.conversationId);
    const [stale] = await decided(body.conversationId);
    expect(stale).toMatchObject({ outcome: "stale" });
  });

  test("the agent decides nothing while a human answers", async () => {
    const from = phone();
    const { body } = await sender.text(from, "Hi");
    await decided(body.conversationId);
    await conversationClient(gateway).handOff(body.conversationId);
    const { body: next } = await sender.text(from, "A question");
    expect(next.decisionId).toBeUndefined();
    expect(await decisionsAbout(body.conversationId)).toHaveLength(1);
  });

  test("messages to a deactivated organization are kept but not answered", async () => {
    const organization = await addOrganization(gateway, "inactive");
    const line = await addSender(gateway, { agentId: organization.agentId });
    await gateway.services.organizations.deactivate(await operator(gateway, "inactive"));
    const { status, body } = await line.text("anna", "Hi");
    expect(status).toBe(202);
    expect(await messagesIn(body.conversationId)).toHaveLength(1);
    expect(await decisionsAbout(body.conversationId)).toEqual([]);
  });

  test("an archived line accepts no messages, but a paused one does", async () => {
    const line = await addSender(gateway, { agentId });
    await lineClient(gateway).pause(line.lineId);
    expect(await line.text("anna", "Hi")).toMatchObject({ status: 202 });
    await lineClient(gateway).archive(line.lineId);
    expect(await line.text("anna", "Hi")).toMatchObject({ status: 409, body: { code: "conflict" } });
  });

  test("no message is lost while the address moves between contacts", async () => {
    const from = phone();
    const address = { kind: "phone", address: from };
    const put = (body: object) => gateway.rest("POST", "/agent/contacts", { body });
    await put({ ref: `a ${from}`, addresses: [address] });
    for (let round = 0; round < 8; round++) {
      const [old, next] = round % 2 === 0 ? ["a", "b"] : ["b", "a"];
      const [first, second] = await Promise.all([
        sender.text(from, "one"),
        sender.text(from, "two"),
        put({ ref: `${old} ${from}`, addresses: null }),
        put({ ref: `${next} ${from}`, addresses: [address] }),
      ]);
      for (const { status, body } of [first, second]) {
        expect(status).toBe(202);
        const { body: conversation } = await gateway.rest(
          "GET",
          `/agent/conversations/${body.conversationId}`,
        );
        expect(conversation.contactId).toBe(body.contactId);
      }
    }
  });

  test("a confirmation is sent at most once per hour, and not after START", async () => {
    await lineClient(gateway).pause(sender.lineId);
    const from = phone();
    const { body } = await sender.text(from, "STOP");
    for (let i = 0; i < 3; i++) {
      await sender.text(from, "START");
      await sender.text(from, "STOP");
    }
    const confirmations = async () =>
      (await messagesIn(body.conversationId)).filter(({ author }) => author === "system");
    expect((await confirmations()).filter(({ status }) => status === "queued")).toHaveLength(1);
    await lineClient(gateway).resume(sender.lineId);
    await waitUntil(async () => (await confirmations()).some(({ status }) => status === "sent"));
    const sent = (await confirmations()).length;
    // More messages than a check of the latest ones would cover.
    for (let i = 0; i < 12; i++) {
      await sender.text(from, "START");
      await sender.text(from, "STOP");
    }
    expect(await confirmations()).toHaveLength(sent);
  });

  test("a message that arrived just before the organization was deactivated is not answered", async () => {
    const { agentId: agent } = await addOrganization(gateway, "closing");
    await publish(gateway, agent, COLLECTING);
    const line = await addSender(gateway, { agentId: agent });
    const { body } = await line.text("anna", "Hi");
    await gateway.services.organizations.deactivate(await operator(gateway, "closing"));
    await endBurst(body.conversationId);
    expect(await decided(body.conversationId)).toMatchObject([
      { outcome: "stale", explanation: { value: { gates: [{ name: "organization", passed: false }] } } },
    ]);
    expect(await messagesIn(body.conversationId)).toHaveLength(1);
  });

  test("a text that only a slow comparison could classify is an ordinary message", async () => {
    const { status, body } = await sender.text(phone(), `${"!".repeat(9_999)}x`);
    expect(status).toBe(202);
    expect(await decided(body.conversationId)).toHaveLength(1);
  });

  test("the line of a deleted agent does not exist", async () => {
    const agent = await agentClient(gateway).add();
    const line = await addSender(gateway, { agentId: agent.id });
    expect(await line.text("anna", "Hi")).toMatchObject({ status: 202 });
    await agentClient(gateway).delete(agent.id);
    expect(await line.text("anna", "Hi")).toMatchObject({
      status: 401,
      body: { code: "invalid_signature" },
    });
  });

  test("erasing a contact empties its messages, and a repeat does not restore them", async () => {
    const message = { id: uuid(), from: phone(), text: "My secret" };
    const { body } = await sender.message(message);
    await decided(body.conversationId);
    await contactClient(gateway).erase(body.contactId);
    await waitUntil(async () => (await messagesIn(body.conversationId)).every((each) => each.text === ""));
    expect(await sender.message(message)).toMatchObject({ status: 200, body: { id: body.id } });
    const rows = await read((reader) =>
      reader.query("select count(*) as found from contact_address where address = $1", [message.from]),
    );
    expect(Number(rows[0].found)).toBe(0);
  });

  test("a submitted situation cannot quote messages from another conversation", async () => {
    const { body: mine } = await sender.text(phone(), "mine");
    const { body: others } = await sender.text(phone(), "not mine");
    const { body } = await decisionClient(gateway).decide({
      type: "message.received",
      data: { messageIds: [mine.id, others.id] },
      conversationId: mine.conversationId,
      dryRun: true,
    });
    expect(body.explanation.effects[0].text).toBe("You said: mine");
  });

  test("the events say who wrote but not the text", async () => {
    const { body } = await sender.text(phone(), "Something private");
    const rows: { type: string; data: string }[] = await read((reader) =>
      reader.query("select type, data from event where subject = $1 order by position", [
        `conversation:${body.conversationId}`,
      ]),
    );
    expect(rows.map(({ type }) => type).slice(0, 2)).toEqual(["conversation.opened", "message.received"]);
    expect(JSON.parse(rows[1]?.data ?? "")).toMatchObject({
      id: body.id,
      author: "contact",
      status: "received",
      sequence: 1,
    });
    expect(JSON.stringify(rows)).not.toContain("private");
  });
});
