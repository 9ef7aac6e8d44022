import { Permission } from "../../src/auth/permissions";
import { Conversation } from "../../src/features/conversations/conversation.entity";
import { ConversationLogEntry } from "../../src/features/conversations/conversation-log-entry.entity";
import { Message } from "../../src/features/messages/message.entity";
import { agentClient } from "../support/agents";
import { addConversation, conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { operator } from "../support/gateway";
import { addSender, type Sender } from "../support/inbound";
import { addLine } from "../support/lines";
import {
  addAgent,
  addMember,
  addOrganization,
  codeOf,
  firstAgentId,
  type TestMember,
} from "../support/people";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const permissions = [Permission.conversations_read, Permission.conversations_write];

describeGateway({ engine: "any" }, (gateway) => {
  const api = conversationClient(gateway);
  let agentId: string;
  let anna: TestMember;
  let sender: Sender;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    anna = await addMember(gateway, { permissions });
    sender = await addSender(gateway, { agentId });
    await publish(gateway, agentId, {
      situations: { upset: {}, asked: {} },
      templates: { sorry: "We are sorry." },
      rules: [
        { id: "upset", on: "upset", do: [{ handoff: "asked for a person" }] },
        { id: "asked", on: "asked", whileHuman: true, do: [{ send: "sorry", review: true }] },
        { id: "draft", on: "message.received", do: [] },
      ],
    });
  });

  const rowOf = (id: string) => gateway.rows.findOneByOrFail(Conversation, { id });
  const waitingOf = async (id: string) => (await rowOf(id)).waitingSince;
  /** Returns a conversation on the sender's line whose contact has written once. */
  const written = async () => {
    const from = `from ${Math.random()}`;
    await sender.text(from, "hello");
    const found = await gateway.services.database.read((reader) =>
      reader
        .createQueryBuilder(Conversation, "conversation")
        .innerJoin("contact_address", "address", "address.id = conversation.address_id")
        .where("address.address = :from", { from })
        .getOneOrFail(),
    );
    return { id: found.id, from };
  };

  const answer = async (id: string) => (await api.send(id, "Hi")).body.data.sendToConversation.id;
  /** Stores that the conversation's queued messages were sent. */
  const deliver = (id: string) =>
    gateway.rows.update(Message, { conversationId: id, status: "queued" }, { status: "sent" });
  const cancel = (message: string) => gateway.rest("POST", `/messages/${message}/cancel`);
  const schedule = async (id: string) => {
    const body = { message: "Hi", sendAt: new Date(Date.now() + 3_600_000) };
    return (await gateway.rest("POST", `/agent/conversations/${id}/messages`, { body })).body.id;
  };
  const approve = async (id: string) => {
    const { body } = await decisionClient(gateway).decide({ type: "asked", conversationId: id });
    const { messageId } = body.explanation.effects[0];
    await gateway.rest("POST", `/messages/${messageId}/approve`, { body: {} });
    return messageId;
  };
  const move = async (id: string, args: object = {}) =>
    api.move(id, { line: (await addLine(gateway, { agentId })).name, ...args });

  test.each<[string, (id: string, from: string) => Promise<unknown>, "waits" | "nobody"]>([
    ["a handoff", () => Promise.resolve(), "waits"],
    ["an answer by a member", (id) => api.send(id, "Hi", { token: anna.token }), "nobody"],
    ["an answer by the API", (id) => api.send(id, "Hi"), "nobody"],
    ["releasing", (id) => api.release(id), "nobody"],
    ["closing", (id) => api.close(id), "nobody"],
    ["another message", (_, from) => sender.text(from, "hello?"), "waits"],
    ["an opt-out", (_, from) => sender.text(from, "STOP"), "waits"],
    [
      "an answer to an opted-out address",
      async (id, from) => {
        await sender.text(from, "STOP");
        await sender.text(from, "Please call me.");
        await answer(id);
      },
      "waits",
    ],
    ["a scheduled answer", schedule, "nobody"],
    ["an approved answer", approve, "nobody"],
    ["canceling an answer", async (id) => cancel(await answer(id)), "waits"],
    ["canceling a scheduled answer", async (id) => cancel(await schedule(id)), "waits"],
    ["canceling an approved answer", async (id) => cancel(await approve(id)), "waits"],
    [
      "an opt-out that cancels an answer",
      async (id, from) => [await answer(id), await sender.text(from, "STOP")],
      "waits",
    ],
    ["a move that cancels an answer", async (id) => [await answer(id), await move(id)], "waits"],
    [
      "a move that keeps an answer",
      async (id) => [await answer(id), await move(id, { pending: "carry" })],
      "nobody",
    ],
    [
      "another message and canceling the answer before it",
      async (id, from) => {
        const first = await answer(id);
        await sender.text(from, "hello?");
        await cancel(first);
      },
      "waits",
    ],
    [
      "canceling the second answer",
      async (id) => [await answer(id), await cancel(await answer(id))],
      "nobody",
    ],
    [
      "canceling the first answer",
      async (id) => {
        const first = await schedule(id);
        await approve(id);
        await cancel(first);
      },
      "nobody",
    ],
    [
      "canceling the answer before a scheduled one",
      async (id) => {
        const first = await answer(id);
        await schedule(id);
        await cancel(first);
      },
      "nobody",
    ],
    [
      "canceling both answers",
      async (id) => {
        const [first, second] = [await answer(id), await schedule(id)];
        await cancel(first);
        await cancel(second);
      },
      "waits",
    ],
  ])("after %s, the conversation shows whether its contact is waiting", async (_, change, expected) => {
    const { id, from } = await written();
    expect(await waitingOf(id)).toBeNull();
    await api.handOff(id);
    const since = await waitingOf(id);
    expect(since).toBe((await rowOf(id)).humanAt);
    await change(id, from);
    expect(await waitingOf(id)).toBe(expected === "waits" ? since : null);
  });

  test("canceling answers that ended different waits resumes the wait without an answer", async () => {
    const { id, from } = await written();
    await api.handOff(id);
    await schedule(id);
    await answer(id);
    await deliver(id);
    await sender.text(from, "hello?");
    const since = await waitingOf(id);
    expect(since).not.toBeNull();
    await answer(id);
    await move(id);
    expect(await waitingOf(id)).toBe(since);
  });

  test("canceling an answer from before a release leaves the wait of a later handoff", async () => {
    const { id } = await written();
    await api.handOff(id);
    const message = await schedule(id);
    await api.release(id);
    await api.handOff(id);
    const since = await waitingOf(id);
    await cancel(message);
    expect([since, await waitingOf(id)]).toEqual([(await rowOf(id)).humanAt, since]);
  });

  test("after an answer, the contact waits from the next message that a person wrote", async () => {
    const { id, from } = await written();
    await api.handOff(id);
    await api.send(id, "Hi", { token: anna.token });
    await deliver(id);
    for (const keyword of ["STOP", "STOP", "YES"]) await sender.text(from, keyword);
    expect(await waitingOf(id)).toBeNull();
    const before = new Date().toISOString();
    // An opt-in only while the address is opted out.
    await sender.text(from, "Yes!");
    const since = await waitingOf(id);
    expect(since !== null && since >= before).toBe(true);
    await sender.text(from, "second");
    expect(await waitingOf(id)).toBe(since);
  });

  test("a conversation that opens while its contact is handed off waits from its first message", async () => {
    const { id, from } = await written();
    const { contactId } = await rowOf(id);
    await api.close(id);
    await gateway.rows.execute("update contact set handed_off_at = $1 where id = $2", [
      new Date().toISOString(),
      contactId,
    ]);
    await sender.text(from, "again");
    const { body } = await api.list({ contactId, state: "open" });
    const opened = await rowOf(body.data.conversations.nodes[0].id);
    expect([opened.handler, opened.waitingSince]).toEqual(["human", opened.createdAt]);
  });

  const LIST = `query ($agentId: ID, $first: Int, $after: String, $order: ConversationOrder, $line: LineReference, $needsReply: Boolean, $state: ConversationState) {
    conversations(agentId: $agentId, first: $first, after: $after, order: $order, line: $line, needsReply: $needsReply, state: $state) {
      nodes { id waitingSince agent { id } handoff { reason } } pageInfo { hasNextPage endCursor } totalCount
    }
  }`;
  const list = (variables: Record<string, unknown>, token = anna.token) =>
    gateway.graphql(LIST, variables, { token });
  const idsOf = async (variables: Record<string, unknown>, token?: string) => {
    const ids: string[] = [];
    for (let after: string | null = null; ; ) {
      const { body } = await list({ first: 2, after, ...variables }, token);
      const { nodes, pageInfo, totalCount } = body.data.conversations;
      ids.push(...nodes.map(({ id }: { id: string }) => id));
      after = pageInfo.endCursor;
      if (!pageInfo.hasNextPage) {
        expect(totalCount).toBe(ids.length);
        return ids;
      }
    }
  };

  test("members list the conversations of all agents in each order, but none of another organization", async () => {
    const { agentId: foreign } = await addOrganization(gateway, "waiting");
    const context = await operator(gateway, "waiting");
    const all: string[] = [];
    const agents = [foreign];
    for (const slug of ["second", "third"])
      agents.push((await gateway.services.agents.create(context, { slug, name: slug })).id);
    const reader = await addMember(gateway, { org: "waiting", permissions });
    for (let i = 0; i < 7; i++) {
      const { id } = await addConversation(gateway, { agentId: agents[i % 3] as string });
      all.push(id);
    }
    const shuffled = [3, 0, 6, 2, 5].map((i) => all[i] as string);
    for (const id of shuffled) await api.handOff(id, {}, { token: reader.token });
    const closed = shuffled.pop() as string;
    await api.close(closed, {}, { token: reader.token });

    expect(await idsOf({ order: "longest_waiting_first" }, reader.token)).toEqual(shuffled);
    const orders = {
      oldest_first: all,
      newest_first: all.toReversed(),
      last_activity_first: [
        closed,
        ...shuffled.toReversed(),
        ...all.filter((id) => id !== closed && !shuffled.includes(id)).toReversed(),
      ],
    };
    for (const [order, ids] of Object.entries(orders))
      expect([order, await idsOf({ order }, reader.token)]).toEqual([order, ids]);
    expect(await idsOf({ order: "last_activity_first", state: "closed" }, reader.token)).toEqual([closed]);
    expect(new Set(await idsOf({ needsReply: true }, reader.token))).toEqual(new Set(shuffled));
    expect(await idsOf({ agentId: agents[1], order: "oldest_first" }, reader.token)).toEqual(
      [1, 4].map((i) => all[i]),
    );

    await gateway.services.agents.delete(context, agents[2] as string);
    expect(await idsOf({}, reader.token)).toEqual(all.filter((_, i) => i % 3 !== 2));
    expect(codeOf(await list({ agentId: foreign }))).toBe("not_found");
    const first = new Set(await idsOf({}));
    expect(all.filter((id) => first.has(id))).toEqual([]);
    expect(codeOf(await list({ agentId }, gateway.key))).toBe("invalid_request");
  });

  test("a cursor of a conversation without a waiting contact does not fit the order of waiting", async () => {
    await addConversation(gateway, { agentId });
    const { body } = await list({ needsReply: false, first: 1 });
    const after = body.data.conversations.pageInfo.endCursor;
    expect(codeOf(await list({ order: "longest_waiting_first", after }))).toBe("invalid_cursor");
  });

  test("lines of several agents are found by their common name", async () => {
    const { id } = await addAgent(gateway);
    const name = `twin-${Math.random().toString(36).slice(2)}`;
    const found: string[] = [];
    for (const each of [agentId, id]) {
      await addLine(gateway, { agentId: each, name });
      found.push((await addConversation(gateway, { agentId: each, line: name })).id);
      await addConversation(gateway, { agentId: each });
    }
    expect(await idsOf({ line: { name } })).toEqual(found);
    expect(await idsOf({ line: { name }, agentId: id })).toEqual([found[1]]);
    expect(await idsOf({ line: { name: `${name}x` } })).toEqual([]);
  });

  const logOf = async (id: string) => {
    const { body } = await gateway.graphql(
      `query ($id: ID!) { conversation(id: $id) { log(order: oldest_first) { nodes { kind actorKind actorName decisionId reason before after } } } }`,
      { id },
      { token: anna.token },
    );
    return body.data.conversation.log.nodes;
  };

  test("the log shows each change, who made it and why", async () => {
    const { id, contactId } = await addConversation(gateway, { agentId });
    const decision = await decisionClient(gateway).decide({ type: "upset", conversationId: id });
    const line = await addLine(gateway, { agentId });
    await api.move(id, { line: line.name }, { token: anna.token });
    await gateway.graphql(
      "mutation ($id: ID!, $memberId: ID) { assignConversation(input: { id: $id, memberId: $memberId }) { id } }",
      { id, memberId: anna.id },
      { token: anna.token },
    );
    const { body } = await list({ order: "longest_waiting_first", first: 100 });
    const listed = body.data.conversations.nodes.find((each: { id: string }) => each.id === id);
    expect(listed.handoff).toEqual({ reason: "asked for a person" });
    await api.release(id, {}, { token: anna.token });
    await api.handOff(id);
    await api.close(id, {}, { token: anna.token });
    const byAnna = { actorKind: "member", actorName: anna.email, decisionId: null };
    const nothing = { reason: null, before: null, after: null };
    expect(await logOf(id)).toEqual([
      {
        ...nothing,
        kind: "handed_off",
        actorKind: expect.any(String),
        actorName: expect.any(String),
        decisionId: decision.body.id,
        reason: "asked for a person",
      },
      { ...nothing, ...byAnna, kind: "moved", before: "main", after: line.name },
      { ...nothing, ...byAnna, kind: "assigned", after: anna.email },
      { ...nothing, ...byAnna, kind: "released" },
      { ...nothing, kind: "handed_off", actorKind: "agent", actorName: expect.any(String), decisionId: null },
      { ...nothing, ...byAnna, kind: "closed" },
    ]);

    await gateway.services.contacts.erase(await operator(gateway), contactId);
    await waitUntil(async () =>
      (await logOf(id)).every(({ reason }: { reason: unknown }) => reason === null),
    );
  });

  test("a message names the member who wrote it", async () => {
    const { id } = await addConversation(gateway, { agentId });
    await api.send(id, "by Anna", { token: anna.token });
    await api.send(id, "by the API");
    const { body } = await gateway.graphql(
      "query ($id: ID!) { conversationMessages(id: $id) { nodes { author memberId } } }",
      { id },
    );
    expect(body.data.conversationMessages.nodes).toEqual([
      { author: "member", memberId: anna.id },
      { author: "api", memberId: null },
    ]);
  });

  test("a deleted agent leaves no log", async () => {
    const context = await operator(gateway);
    const { id } = await agentClient(gateway).add();
    const conversation = await addConversation(gateway, { agentId: id });
    await api.close(conversation.id, {}, { token: anna.token });
    const count = () => gateway.rows.countBy(ConversationLogEntry, { agentId: id });
    expect(await count()).toBe(1);
    await gateway.services.agents.delete(context, id);
    await gateway.services.agentPurge.finishAll(new AbortController().signal);
    expect(await count()).toBe(0);
  });
});
