import { DAY_MS, timestamp } from "../../src/common/time";
import { Lane } from "../../src/delivery/lane.entity";
import { SCHEDULE_LANE } from "../../src/delivery/wake-lanes";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Conversation } from "../../src/features/conversations/conversation.entity";
import { queueMessages } from "../../src/features/conversations/queue-messages";
import { Event } from "../../src/features/events/event.entity";
import { MESSAGE_ORDER, Message } from "../../src/features/messages/message.entity";
import { MessageAuthor, MessageStatus } from "../../src/features/messages/message.enums";
import { addContact, contactClient } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { testOnAny } from "../support/engines";
import { type GatewayOptions, startGateway, type TestGateway } from "../support/gateway";
import { addLine } from "../support/lines";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { cases } from "../support/tiers";
import { waitUntil } from "../support/wait-until";

const LATER = timestamp(DAY_MS);
const ROUNDS = cases(10);

const DELIVERS = { env: { DELIVERY_WORKERS: "1" } } satisfies GatewayOptions;

describeGateway(DELIVERS, (gateway, engine) => {
  const anyTest = testOnAny(engine);
  const { scheduled, delivered, canceled } = MessageStatus;
  let agentId: string;
  const api = conversationClient(gateway);
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    for (const name of ["second", "third"]) await addLine(gateway, { agentId, name });
  });

  const messageOf = (id: string) => gateway.rows.findOneByOrFail(Message, { id });
  const laneOf = (id: string) => gateway.rows.findOneBy(Lane, { id });
  const schedule = async (conversation: string, message: string, sendAt = LATER): Promise<string> => {
    const { body } = await gateway.rest("POST", `/agent/conversations/${conversation}/messages`, {
      body: { message, sendAt },
    });
    return body.id;
  };
  /** Makes scheduled messages due. */
  const makeDue = async (...ids: string[]) => {
    await gateway.services.database.write(async (tx) => {
      const past = timestamp(-1);
      for (const id of ids) {
        await tx.update(Message, { id }, { sendAt: past });
        await tx.update(Lane, { id }, { wakeAt: past });
      }
    });
    gateway.services.lanes.notify();
  };
  const become = (id: string, status: MessageStatus) =>
    waitUntil(async () => (await messageOf(id)).status === status);
  const newConversation = async () => (await addConversation(gateway, { agentId })).id;

  anyTest("a scheduled message holds back nothing and takes its position when it is due", async () => {
    const id = await newConversation();
    const first = await schedule(id, "later");
    expect(await messageOf(first)).toMatchObject({
      status: scheduled,
      sequence: null,
      sendAt: LATER,
      scheduledReason: "delay",
    });
    expect(await laneOf(first)).toMatchObject({ kind: SCHEDULE_LANE, wakeAt: LATER });
    const second = (await api.send(id, "now")).body.data.sendToConversation;
    expect(second.sequence).toBe(1);
    await become(second.id, delivered);
    const listed = async (query: string) => {
      const { body } = await gateway.rest("GET", `/agent/conversations/${id}/messages${query}`);
      return body.map((message: { id: string }) => message.id);
    };
    expect(await listed("")).toEqual([second.id]);
    expect(await listed("?scheduled=true")).toEqual([first]);
    await makeDue(first);
    await become(first, delivered);
    expect(await messageOf(first)).toMatchObject({ sequence: 2, scheduledReason: null });
    expect(await laneOf(first)).toBeNull();
    expect(await listed("")).toEqual([second.id, first]);
    expect(await listed("?scheduled=true")).toEqual([]);
    const events = await gateway.rows.findBy(Event, { agentId, subject: `conversation:${id}` });
    const types = events.filter(({ data }) => data.id === first).map(({ type }) => type);
    expect(types).toEqual(["message.scheduled", "message.queued", "message.delivered"]);
  });

  anyTest("a message without a contact is also scheduled", async () => {
    const { status, body } = await gateway.rest("POST", "/messages", {
      body: { message: "later", sendAt: LATER },
    });
    expect([status, body]).toEqual([
      201,
      { id: body.id, message: "later", status: scheduled, createdAt: body.createdAt, sendAt: LATER },
    ]);
    await makeDue(body.id);
    await become(body.id, delivered);
    expect(await laneOf(body.id)).toBeNull();
  });

  anyTest(
    "the first message in a conversation may be scheduled, and a retry shows it as accepted",
    async () => {
      const contact = { id: await addContact(gateway, { agentId, addresses: [localAddress()] }) };
      const open = () =>
        gateway.rest("POST", "/agent/conversations", {
          body: { contact, message: "later", sendAt: LATER },
          headers: { "idempotency-key": contact.id },
        });
      const { body } = await open();
      expect(body.message).toMatchObject({ status: scheduled, sendAt: LATER });
      await makeDue(body.message.id);
      await become(body.message.id, delivered);
      expect((await open()).body.message).toMatchObject({ id: body.message.id, status: scheduled });
    },
  );

  anyTest.each([
    ["in the past", timestamp(-DAY_MS), 201, { status: "queued" }],
    ["too late", timestamp(91 * DAY_MS), 400, { code: "invalid_request" }],
    ["no time", "tomorrow", 400, { code: "invalid_request" }],
  ])("a time to send that is %s", async (_, sendAt, status, expected) => {
    const reply = await gateway.rest("POST", "/messages", { body: { message: "x", sendAt } });
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject(expected);
  });

  const localAddress = () => ({ kind: AddressKind.local, address: `at ${Math.random()}` });
  const conversationOf = (id: string) => gateway.rows.findOneByOrFail(Conversation, { id });

  anyTest("a carried message is sent on the new line, and a client's survives a handoff", async () => {
    const id = await newConversation();
    const message = await schedule(id, "later");
    const { body } = await api.move(id, { line: "third", pending: "carry" });
    expect(body.data.moveConversation).toMatchObject({ canceled: [], carried: [message] });
    await api.handOff(id);
    await makeDue(message);
    await become(message, delivered);
    expect((await messageOf(message)).lineId).toBe((await conversationOf(id)).lineId);
  });

  describe("while another process delivers as well", () => {
    let other: TestGateway;
    beforeAll(async () => {
      other = await startGateway(engine, { ...DELIVERS, database: { url: gateway.databaseUrl } });
    });
    afterAll(() => other.close());

    test.each<[string, (id: string, message: string) => Promise<unknown>]>([
      ["canceling it", (_, message) => gateway.rest("POST", `/messages/${message}/cancel`)],
      ["closing its conversation", (id) => api.close(id)],
      [
        "erasing its contact",
        async (id) => contactClient(gateway).erase((await conversationOf(id)).contactId),
      ],
      ["sending another", (id) => api.send(id, "another")],
      ["moving its conversation", (id) => api.move(id, { line: "second", pending: "carry" })],
    ])("a message that is due ends once, whatever happens: %s", async (_, change) => {
      for (let round = 0; round < ROUNDS; round++) {
        const id = await newConversation();
        const ids = [await schedule(id, "one"), await schedule(id, "two")];
        await Promise.all([makeDue(...ids), change(id, ids[0] as string)]);
        const { lastSequence, messages } = await ended(id);
        for (const { status, sequence } of messages) {
          expect([delivered, canceled]).toContain(status);
          expect(sequence).toBeLessThanOrEqual(lastSequence);
        }
        expect(new Set(messages.map(({ sequence }) => sequence)).size).toBe(messages.length);
        for (const each of ids) expect(await laneOf(each)).toBeNull();
      }
    });
  });

  /** Returns a conversation when none of its messages waits. */
  async function ended(conversationId: string) {
    const read = () => gateway.rows.findBy(Message, { conversationId });
    await waitUntil(async () =>
      (await read()).every(({ status }) => status === delivered || status === canceled),
    );
    const { lastSequence } = await conversationOf(conversationId);
    return { lastSequence, messages: await read() };
  }

  anyTest("a conversation has room for 500 messages, including scheduled ones", async () => {
    const id = await newConversation();
    await gateway.services.database.write(async (tx) => {
      await tx.lockInsertOrder(MESSAGE_ORDER, [agentId]);
      const conversation = await tx.findOneByOrFail(Conversation, { id });
      const draft = { agentId, text: "x", author: MessageAuthor.agent, sendAt: LATER, conversation };
      await queueMessages(tx, gateway.services.lanes, Array(499).fill(draft));
    });
    await schedule(id, "the last one");
    const { status, body } = await gateway.rest("POST", `/agent/conversations/${id}/messages`, {
      body: { message: "one too many", sendAt: LATER },
    });
    expect([status, body.code]).toEqual([429, "queue_full"]);
    const { canceled } = (await api.close(id)).body.data.closeConversation;
    expect(canceled).toHaveLength(500);
  });

  anyTest("a change to a line wakes no scheduled messages", async () => {
    const id = await newConversation();
    const message = await schedule(id, "later");
    await gateway.services.database.write((tx) => gateway.services.lanes.wakeAgents(tx, [agentId]));
    expect(await laneOf(message)).toMatchObject({ wakeAt: LATER });
  });
});
