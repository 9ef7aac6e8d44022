import { In, Not } from "typeorm";
import { v7 as uuid } from "uuid";
import { timestamp } from "../../src/common/time";
import { BACKGROUND } from "../../src/database/limits";
import type { Tx } from "../../src/database/unit-of-work";
import { Lane } from "../../src/delivery/lane.entity";
import { Contact } from "../../src/features/contacts/contact.entity";
import { ContactAddress } from "../../src/features/contacts/contact-address.entity";
import { Erasure } from "../../src/features/contacts/erasure.entity";
import { Conversation, ConversationState } from "../../src/features/conversations/conversation.entity";
import { DeliveryAttempt } from "../../src/features/messages/delivery-attempt.entity";
import { Message } from "../../src/features/messages/message.entity";
import { closedAfterEach } from "../support/closing";
import { contactClient } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { startGateway } from "../support/gateway";
import { addLine, lineClient } from "../support/lines";
import { addOrganization, codeOf, firstAgentId, operatorOfAgent } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { waitUntil, withResolver } from "../support/wait-until";

const MANY = 8_000;

describeGateway({ engine: "any", env: { DELIVERY_WORKERS: "8" } }, (gateway, engine) => {
  const keep = closedAfterEach();
  const contacts = contactClient(gateway);
  const api = conversationClient(gateway);
  let agentId: string;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
  });

  const database = () => gateway.services.database;
  const messagesOf = (contactId: string) =>
    database().read(async (reader) => {
      const conversations = await reader.findBy(Conversation, { contactId });
      const conversationId = In(conversations.map(({ id }) => id));
      return reader.find(Message, { where: { conversationId }, order: { id: "ASC" } });
    });
  const textsLeft = (conversationId: string) =>
    gateway.rows.countBy(Message, { conversationId, text: Not("") });
  const sharing = () => startGateway(engine, { database: { url: gateway.databaseUrl } });

  /** Adds many messages to a conversation, delivered by default. */
  async function addMessages(
    conversationId: string,
    { count = MANY, status = "delivered" } = {},
  ): Promise<void> {
    const prefix = conversationId
      .slice(0, 24)
      .replace(/^.{8}/, () => Math.random().toString(16).slice(2, 10).padEnd(8, "0"));
    await database().write(
      async (tx) => {
        await tx.query(
          `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
         INSERT INTO message (id, agent_id, message, status, created_at, conversation_id, sequence, fence)
         SELECT '${prefix}' || substr(cast(1000000000000 + i AS text), 2), '${agentId}', 'a secret', '${status}',
           '2026-01-02T03:04:05.000Z', '${conversationId}', i, 1 FROM n`,
        );
        await tx.update(Conversation, { id: conversationId }, { lastSequence: count });
      },
      { limits: BACKGROUND },
    );
  }

  test("erasing a contact closes its conversations, cancels queued messages and clears all texts", async () => {
    const line = await addLine(gateway, { agentId });
    const { id, contactId } = await addConversation(gateway, { agentId, line: line.name });
    await api.send(id, "a delivered secret");
    await waitUntil(async () => (await messagesOf(contactId))[0]?.status === "delivered");
    await lineClient(gateway).pause(line.id);
    await api.send(id, "a queued secret");
    const other = await addLine(gateway, { agentId });
    await api.open({ contact: { id: contactId }, line: other.name });
    // A receiver's response may repeat the message.
    await gateway.services.database.write(async (tx) => {
      const texts = { errorText: "a delivered secret is rejected" };
      await tx.update(Message, { conversationId: id, sequence: 1 }, texts);
      await tx.query(
        "update delivery_attempt set detail = $1 where message_id in (select id from message where conversation_id = $2)",
        [texts.errorText, id],
      );
    });
    const before = await messagesOf(contactId);
    expect((await contacts.erase(contactId)).body.data.eraseContact).toMatchObject({ id: contactId });
    expect(await messagesOf(contactId)).toEqual([
      { ...before[0], text: "", errorText: null },
      {
        ...before[1],
        text: "",
        status: "canceled",
        errorCode: "closed",
        heldReason: null,
        updatedAt: expect.any(String),
      },
    ]);
    const attempts = await gateway.rows.findBy(DeliveryAttempt, { message: { conversationId: id } });
    expect(attempts).toMatchObject([{ outcome: "accepted", detail: null }]);
    const { nodes } = (await api.list({ contactId })).body.data.conversations;
    expect(nodes).toMatchObject([
      { id, state: "closed", version: 2, address: null, lastSequence: 2 },
      { state: "closed", version: 2, address: null, lastSequence: 0 },
    ]);
    expect(codeOf(await api.send(id, "too late"))).toBe("conflict");
    const read = await gateway.rest("GET", `/messages/${before[1]?.id}`);
    expect(read.body).toMatchObject({ message: "", status: "canceled", errorCode: "closed" });
    await waitUntil(async () => !(await gateway.rows.existsBy(Lane, { id })));
    expect(await gateway.rows.existsBy(Erasure, { contactId })).toBe(false);
  });

  test.each([
    ["short", 0],
    ["long", 300],
  ])(
    "in a %s conversation that is already closed, waiting messages are canceled and cleared",
    async (_, count) => {
      await publish(gateway, agentId, {
        situations: { ended: {} },
        templates: { survey: "a scheduled secret", offer: "a proposed secret" },
        rules: [
          {
            id: "ended",
            on: "ended",
            do: [{ send: "survey", delaySeconds: 86_400 }, { send: "offer", review: true }, { close: true }],
          },
        ],
      });
      const { id, contactId } = await addConversation(gateway, { agentId });
      if (count > 0) await addMessages(id, { count });
      await decisionClient(gateway).decide({ type: "ended", conversationId: id });
      const waiting = (await messagesOf(contactId)).filter(({ sequence }) => sequence === null);
      expect(waiting).toMatchObject([{ status: "scheduled" }, { status: "proposed" }]);
      await contacts.erase(contactId);
      await waitUntil(async () => !(await gateway.rows.existsBy(Erasure, { contactId })));
      expect(await textsLeft(id)).toBe(0);
      const ids = waiting.map((message) => message.id);
      const ended = { status: "canceled", errorCode: "closed", proposedText: null };
      expect((await messagesOf(contactId)).filter((message) => ids.includes(message.id))).toMatchObject([
        { ...ended, sequence: count + 1 },
        { ...ended, sequence: count + 2 },
      ]);
      const lanes = await gateway.rows.findBy(Lane, { id: In([id, ...ids]) });
      expect(lanes).toEqual([]);
      const { body } = await gateway.rest("POST", `/messages/${ids[1]}/approve`, {
        body: { message: "a late secret" },
      });
      expect(body.code).toBe("conflict");
    },
  );

  test("a message that is due before the erasure reaches it is canceled, not failed", async () => {
    const line = await addLine(gateway, { agentId });
    const { id, contactId } = await addConversation(gateway, { agentId, line: line.name });
    await lineClient(gateway).pause(line.id);
    await api.send(id, "a queued secret");
    await database().write(async (tx) => {
      await tx.delete(ContactAddress, { contactId });
      await tx.update(Contact, { id: contactId }, { erasedAt: timestamp() });
    });
    await lineClient(gateway).resume(line.id);
    await waitUntil(async () => (await messagesOf(contactId))[0]?.status !== "queued");
    expect(await messagesOf(contactId)).toMatchObject([{ status: "canceled", errorCode: "closed" }]);
  });

  test("a situation in an erased contact's open conversation is rejected", async () => {
    await publish(gateway, agentId, { situations: { "order.shipped": {} } });
    const { id, contactId } = await addConversation(gateway, { agentId });
    const decide = () => decisionClient(gateway).decide({ conversationId: id });
    expect(codeOf(await decide())).toBeUndefined();
    await gateway.rows.update(Contact, { id: contactId }, { erasedAt: timestamp() });
    expect(codeOf(await decide())).toBe("conflict");
  });

  test("a repeat with the same idempotency key is answered after the erasure, without the text", async () => {
    const { id, contactId } = await addConversation(gateway, { agentId });
    const send = () =>
      gateway.rest("POST", `/agent/conversations/${id}/messages`, {
        body: { message: "a secret" },
        headers: { "idempotency-key": id },
      });
    const first = await send();
    await contacts.erase(contactId);
    const repeat = await send();
    expect([repeat.status, repeat.body]).toEqual([201, { ...first.body, message: "" }]);
  });

  slowTest("many messages are emptied in short transactions, and others can write in between", async () => {
    const { id, contactId } = await addConversation(gateway, { agentId });
    await addMessages(id);
    let isDone = false;
    const erasing = contacts.erase(contactId).then(({ status }) => {
      isDone = true;
      return status;
    });
    const seen = new Set<number>();
    // Counts in the transaction that writes, because the next chunk may follow it at once.
    const count = async (tx: Tx) => {
      await tx.query("UPDATE pet SET name = name WHERE id = 0");
      seen.add(await tx.countBy(Message, { conversationId: id, text: Not("") }));
    };
    while (!isDone) await database().write(count);
    expect(await erasing).toBe(200);
    expect([...seen].filter((left) => left > 0 && left < MANY).length).toBeGreaterThan(1);
    await waitUntil(async () => (await textsLeft(id)) === 0);
  });

  test("the contacts of an organization are erased one at a time, and delay no erasure in another", async () => {
    const other = await addOrganization(gateway, "other");
    const add = async (of: string) => (await addConversation(gateway, { agentId: of })).contactId;
    const [first, second, ofOther] = [await add(agentId), await add(agentId), await add(other.agentId)];
    const { promise: held, resolve: letGo } = withResolver();
    const order: string[] = [];
    gateway.services.hooks.add({
      contactErased: async ([id = ""]) => {
        order.push(id);
        if (id === first) await held;
        return true;
      },
    });
    const erase = async (of: string, id: string) =>
      gateway.services.contacts.erase(await operatorOfAgent(gateway, of), id);
    const erasing = [erase(agentId, first)];
    await waitUntil(() => order.includes(first));
    erasing.push(erase(agentId, second), erase(other.agentId, ofOther));
    await waitUntil(() => order.includes(ofOther));
    expect(order).toEqual([first, ofOther]);
    letGo();
    await Promise.all(erasing);
    expect(order).toEqual([first, ofOther, second]);
  });

  slowTest("a transaction of an erasure closes few conversations, because others wait for it", async () => {
    const { id, contactId } = await addConversation(gateway, { agentId });
    const other = await gateway.rows.findOneByOrFail(Conversation, { id });
    const others = Array.from({ length: 149 }, () => ({ ...other, id: uuid(), addressId: uuid() }));
    await gateway.rows.insert(Conversation, others as object[]);
    const open = () => gateway.rows.countBy(Conversation, { contactId, state: ConversationState.open });
    let left = await open();
    const closed: number[] = [];
    const write = database().write.bind(database());
    const spy = jest.spyOn(database(), "write").mockImplementation(async (...unit) => {
      const result = await write(...unit);
      // Other transactions, such as deliveries, may be counted at the same time.
      const now = await open();
      closed.push(left - now);
      left = now;
      return result;
    });
    try {
      await contacts.erase(contactId);
      await waitUntil(async () => (await open()) === 0);
    } finally {
      spy.mockRestore();
    }
    const parts = closed.filter((count) => count > 0);
    expect(parts[0]).toBeLessThanOrEqual(40);
    // After a quick chunk, the next chunk may be twice as large.
    for (const [i, part] of parts.entries()) expect(part).toBeLessThanOrEqual(2 * (parts[i - 1] ?? part));
  });

  slowTest("another process finishes an unfinished erasure when it starts", async () => {
    const { id, contactId } = await addConversation(gateway, { agentId });
    await addMessages(id);
    const stopped = await sharing();
    const erasing = contactClient(stopped, gateway.key).erase(contactId);
    while ((await textsLeft(id)) === MANY);
    await stopped.close();
    await erasing;
    expect(await textsLeft(id)).toBeGreaterThan(0);
    const { conversation } = (await api.find(id)).body.data;
    expect(conversation).toMatchObject({ state: "closed" });
    await keep(sharing());
    await waitUntil(async () => (await textsLeft(id)) === 0);
    await waitUntil(async () => !(await gateway.rows.existsBy(Erasure, { contactId })));
  });

  slowTest("erasing again finishes an erasure that was left unfinished", async () => {
    const { id, contactId } = await addConversation(gateway, { agentId });
    await contacts.erase(contactId);
    await database().write(async (tx) => {
      await tx.insert(Erasure, { contactId, startedAt: "2026-01-02T03:04:05.000Z" });
    });
    await addMessages(id);
    expect((await gateway.rest("DELETE", `/agent/contacts/${contactId}`)).status).toBe(204);
    await waitUntil(async () => (await textsLeft(id)) === 0);
  });

  slowTest("messages that two processes send during an erasure leave no text behind", async () => {
    const other = await keep(sharing());
    const apis = [api, conversationClient(other, gateway.key)];
    for (let round = 0; round < 5; round++) {
      const line = await addLine(gateway, { agentId });
      const { id, contactId } = await addConversation(gateway, { agentId });
      let isErased = false;
      const codes = new Set<string | undefined>();
      const senders = apis.map(async (each, i) => {
        while (!isErased) {
          codes.add(codeOf(await each.send(id, `a secret of ${i}`)));
          const input = { contact: { id: contactId }, line: line.name, message: "another secret" };
          codes.add(codeOf(await each.open(input)));
        }
        codes.add(codeOf(await each.send(id, "too late")));
      });
      await waitUntil(async () => (await messagesOf(contactId)).length >= 5);
      await contacts.erase(contactId);
      isErased = true;
      await Promise.all(senders);
      const messages = await messagesOf(contactId);
      expect(new Set(messages.map(({ text }) => text))).toEqual(new Set([""]));
      expect(messages.filter(({ status }) => status === "queued")).toEqual([]);
      expect([...codes].sort()).toEqual(["conflict", undefined]);
      const { nodes } = (await api.list({ contactId })).body.data.conversations;
      expect(new Set(nodes.map(({ state }: { state: string }) => state))).toEqual(new Set(["closed"]));
    }
  });
});
