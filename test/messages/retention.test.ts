import { v7 as uuid } from "uuid";
import { DAY_MS, timestamp } from "../../src/common/time";
import { Conversation } from "../../src/features/conversations/conversation.entity";
import { deleteEndedMessages, newWalk } from "../../src/features/conversations/delete-ended-messages";
import { Decision } from "../../src/features/decisions/decision.entity";
import { DeliveryAttempt } from "../../src/features/messages/delivery-attempt.entity";
import { Message } from "../../src/features/messages/message.entity";
import { addConversation, conversationClient } from "../support/conversations";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

describeGateway((gateway) => {
  let agentId: string;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
  });

  const database = () => gateway.services.database;

  /** Adds a conversation with one message of the given age, sent unless the columns say otherwise. */
  async function addMessage(
    days: number,
    columns: Partial<Message> = {},
    conversation: Partial<Conversation> = {},
  ): Promise<Message & { conversationId: string }> {
    const { id: conversationId } = await addConversation(gateway, { agentId });
    const id = uuid({ msecs: Date.now() - days * DAY_MS });
    const createdAt = timestamp(-days * DAY_MS);
    const own = { id, agentId, conversationId, createdAt, sequence: 1, text: "a secret", status: "sent" };
    const row = { ...own, updatedAt: createdAt, attempts: 1, ...columns } as Message & {
      conversationId: string;
    };
    await database().write(async (tx) => {
      await tx.insert(Message, row as object);
      await tx.insert(DeliveryAttempt, { messageId: id, number: 1, startedAt: createdAt });
      await tx.update(Conversation, { id: conversationId }, { lastSequence: 1, ...(conversation as object) });
    });
    return row;
  }

  const isKept = async ({ id }: Message): Promise<boolean> => {
    const [message, attempt] = await database().read((reader) =>
      Promise.all([
        reader.existsBy(Message, { id }),
        reader.existsBy(DeliveryAttempt, { messageId: id, number: 1 }),
      ]),
    );
    expect(attempt).toBe(message);
    return message;
  };
  const deleteOlderThan = (days: number) =>
    deleteEndedMessages(database(), gateway.services.hooks, { retention: { RETENTION_MESSAGES_DAYS: days } });
  const ago = (days: number) => timestamp(-days * DAY_MS);

  test("messages that were finished 30 days ago are deleted with their attempts, and no others", async () => {
    const expected: Record<string, [isKept: boolean, ...Parameters<typeof addMessage>]> = {
      queued: [true, 40, { status: "queued" }],
      sending: [true, 31, { status: "sending" }],
      scheduled: [true, 31, { status: "scheduled", sequence: null }],
      proposed: [true, 31, { status: "proposed", sequence: null }],
      recent: [true, 29],
      "scheduled early, sent recently": [true, 90, { updatedAt: ago(29) }],
      "counted by a cap": [true, 89, { cappedContactId: uuid() }],
      unanswered: [true, 31, { status: "received" }, { waitingSince: ago(31) }],
      "no longer counted by a cap": [false, 91, { cappedContactId: uuid() }],
      received: [false, 31, { status: "received", direction: "inbound", updatedAt: null }],
      sent: [false, 31],
      delivered: [false, 31, { status: "delivered" }],
      read: [false, 31, { status: "read" }],
      canceled: [false, 31, { status: "canceled" }],
      failed: [false, 31, { status: "failed" }],
      "outside of a conversation": [false, 31, { conversationId: null, sequence: null }],
      "in a closed conversation": [false, 31, {}, { state: "closed" }],
    };
    const added = new Map<string, Message>();
    for (const [name, [, ...message]] of Object.entries(expected))
      added.set(name, await addMessage(...message));
    await deleteOlderThan(30);
    for (const [name, message] of added)
      expect([name, await isKept(message)]).toEqual([name, expected[name]?.[0]]);
  });

  test("messages are kept while the agent is deciding in their conversation", async () => {
    const added = await addMessage(31, { status: "received", direction: "inbound" });
    const { conversationId } = added;
    const decision = { id: uuid(), agentId, conversationId, situation: { type: "x", data: {} } };
    const rest = {
      situationType: "x",
      configurationVersion: 1,
      decider: "rules",
      effects: [],
      createdAt: ago(31),
    };
    await gateway.rows.insert(Decision, { ...decision, ...rest, state: "deciding" } as object);
    await deleteOlderThan(30);
    expect(await isKept(added)).toBe(true);
    await gateway.rows.update(Decision, { id: decision.id }, { state: "decided" });
    await deleteOlderThan(30);
    expect(await isKept(added)).toBe(false);
  });

  test("a kept message is examined again a day later, and newer ones before", async () => {
    const walk = newWalk();
    const walked = () =>
      deleteEndedMessages(
        database(),
        gateway.services.hooks,
        { retention: { RETENTION_MESSAGES_DAYS: 30 } },
        { walk },
      );
    const kept = await addMessage(40, {}, { waitingSince: ago(40) });
    await walked();
    await gateway.rows.update(Conversation, { id: kept.conversationId }, { waitingSince: null });
    const newer = await addMessage(31);
    await walked();
    expect([await isKept(kept), await isKept(newer)]).toEqual([true, false]);
    walk.startedMs -= DAY_MS;
    await walked();
    expect(await isKept(kept)).toBe(false);
  });

  test("without the setting, messages are kept", async () => {
    const added = await addMessage(4_000);
    await deleteEndedMessages(database(), gateway.services.hooks, { retention: {} });
    await deleteOlderThan(0);
    expect(await isKept(added)).toBe(true);
  });

  test("a conversation without its old messages is listed and takes further messages", async () => {
    const { conversationId } = await addMessage(31);
    await deleteOlderThan(30);
    const api = conversationClient(gateway);
    expect((await api.messages(conversationId)).body.data.conversationMessages.nodes).toEqual([]);
    const query = "query ($id: ID!) { conversation(id: $id) { lastSequence lastMessage { id } } }";
    const { body } = await gateway.graphql(query, { id: conversationId });
    expect(body.data.conversation).toEqual({ lastSequence: 1, lastMessage: null });
    await api.send(conversationId, "more");
    const { nodes } = (await api.messages(conversationId)).body.data.conversationMessages;
    expect(nodes).toMatchObject([{ message: "more", sequence: 2 }]);
  });
});
