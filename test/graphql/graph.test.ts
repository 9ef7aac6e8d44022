import { Timer } from "../../src/features/timers/timer.entity";
import { agentClient } from "../support/agents";
import { addConversation, conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { mint } from "../support/gateway";
import { addLine } from "../support/lines";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { addTimer } from "../support/timers";

const SEND_THANKS = {
  situations: { "order.shipped": {} },
  rules: [{ id: "thanks", on: "order.shipped", when: [], do: [{ send: "thanks" }] }],
  otherwise: [],
  templates: { thanks: "Thank you" },
};

describeGateway((gateway) => {
  let agentId: string;
  /** A conversation with three messages, the last of them sent by a decision. */
  let talked: { id: string; contactId: string };
  let decisionId: string;

  /** Adds a conversation with these messages on a separate line. */
  const converse = async (texts: readonly string[]) => {
    const { name: line } = await addLine(gateway, { agentId });
    const conversation = await addConversation(gateway, { agentId, line });
    for (const text of texts) await conversationClient(gateway).send(conversation.id, text);
    return conversation;
  };
  const ask = async (query: string, { token = gateway.key, ...variables }: Record<string, string> = {}) => {
    const { body } = await gateway.graphql(query, variables, { token });
    return body as {
      // biome-ignore lint/suspicious/noExplicitAny: the query determines the shape
      data: any;
      errors?: { path: (string | number)[]; extensions: { code: string } }[];
    };
  };

  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    await publish(gateway, agentId, SEND_THANKS);
    talked = await converse(["one", "two"]);
    const { body } = await decisionClient(gateway).decide({
      contact: { id: talked.contactId },
      conversationId: talked.id,
    });
    decisionId = body.id;
  });

  test("a message leads to its conversation and decision, and they to the contact, line and agent", async () => {
    const { data, errors } = await ask(
      `query ($id: ID!) { conversation(id: $id) {
         messages(first: 1, order: newest_first) { nodes {
           text lineId line { id }
           agent { slug }
           decision { id conversation { id } contact { id agent { slug } } agent { slug } }
           conversation { id lineName line { name } contact { id } agent { slug } }
         } }
       } }`,
      { id: talked.id },
    );
    expect(errors).toBeUndefined();
    const [{ decision, conversation, lineId, line, ...message }] = data.conversation.messages.nodes;
    const agent = { slug: "first-agent" };
    expect(line?.id ?? null).toBe(lineId);
    expect(message).toEqual({ text: "Thank you", agent });
    expect(decision).toEqual({
      id: decisionId,
      conversation: { id: talked.id },
      contact: { id: talked.contactId, agent },
      agent,
    });
    expect(conversation).toEqual({
      id: talked.id,
      lineName: conversation.line.name,
      line: { name: expect.any(String) },
      contact: { id: talked.contactId },
      agent,
    });
  });

  test("a timer leads to its agent, contact, conversation and decision", async () => {
    const id = await addTimer(gateway, agentId, talked.contactId);
    const document = `query ($contactId: ID) { timers(contactId: $contactId) { nodes {
      agent { slug } contact { id } conversation { id } decision { id }
    } } }`;
    const timers = async () => (await ask(document, { contactId: talked.contactId })).data.timers.nodes;
    const reached = { agent: { slug: "first-agent" }, contact: { id: talked.contactId } };
    expect(await timers()).toEqual([{ ...reached, conversation: null, decision: null }]);
    await gateway.services.database.write((tx) =>
      tx.update(Timer, { id }, { conversationId: talked.id, decisionId }),
    );
    expect(await timers()).toEqual([
      { ...reached, conversation: { id: talked.id }, decision: { id: decisionId } },
    ]);
  });

  test("an agent and a contact lead to their lists, without other agents' rows", async () => {
    const other = await agentClient(gateway).add();
    await addConversation(gateway, { agentId: other.id });
    const { data, errors } = await ask(
      `{ agents { id
           lines { name } contacts(first: 5) { nodes { agentId } }
           conversations(first: 5) { nodes { agentId } } apiKeys(first: 5) { nodes { agent { id } } }
       } }`,
      { token: gateway.owner },
    );
    expect(errors).toBeUndefined();
    for (const { id, lines, contacts, conversations, apiKeys } of data.agents) {
      expect(lines.length).toBeGreaterThan(0);
      const ids = [
        ...[...contacts.nodes, ...conversations.nodes].map((node) => node.agentId),
        ...apiKeys.nodes.map((node: { agent: { id: string } }) => node.agent.id),
      ];
      expect(new Set(ids)).toEqual(new Set([id]));
    }
    const about = await ask(
      "query ($id: ID!) { contact(by: { id: $id }) { conversations { nodes { id } } decisions { nodes { id } } } }",
      { id: talked.contactId },
    );
    expect(about.data.contact).toEqual({
      conversations: { nodes: [{ id: talked.id }] },
      decisions: { nodes: [{ id: decisionId }] },
    });
  });

  test("a deleted agent leads to its keys, and no longer to its other lists", async () => {
    const { id, slug } = await agentClient(gateway).add();
    await addConversation(gateway, { agentId: id });
    const key = await mint(gateway, { agent: slug });
    const of = async () =>
      ask(
        `query ($id: ID!) { apiKey(id: $id) { agent {
           lines { id } contacts { nodes { id } } conversations { nodes { id } } apiKeys { nodes { id } }
         } } }`,
        { id: key.id, token: gateway.owner },
      );
    expect((await of()).errors).toBeUndefined();
    await ask("mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { id } }", {
      id: key.id,
      token: gateway.owner,
    });
    await agentClient(gateway).delete(id);
    const { data, errors } = await of();
    expect(errors).toBeUndefined();
    const apiKeys = { nodes: [{ id: key.id }] };
    expect(data.apiKey.agent).toEqual({ lines: null, contacts: null, conversations: null, apiKeys });
  });

  test("a key without the scope of a field gets the rest of the object", async () => {
    const { secret: token } = await mint(gateway, { scopes: ["conversations:read"] });
    const { data, errors } = await ask(
      `query ($id: ID!) { conversation(id: $id) {
         lineName agent { slug } contact { id } line { id } messages { nodes { id } } decisions { nodes { id } }
       } }`,
      { token, id: talked.id },
    );
    expect(data.conversation).toEqual({
      lineName: expect.any(String),
      agent: { slug: "first-agent" },
      contact: null,
      line: null,
      messages: null,
      decisions: null,
    });
    expect(errors?.map(({ path, extensions }) => [path.at(-1), extensions.code])).toEqual(
      ["contact", "line", "messages", "decisions"].map((field) => [field, "insufficient_scope"]),
    );
  });

  describe("the list of a parent", () => {
    const PAGE = `query ($id: ID!, $after: String, $order: ListOrder) { conversation(id: $id) {
      messages(first: 2, after: $after, order: $order) { nodes { text } pageInfo { hasNextPage endCursor } }
    } }`;
    const page = async (variables: Record<string, string>) => (await ask(PAGE, variables)).data.conversation;

    test("is paged in both orders", async () => {
      for (const order of ["oldest_first", "newest_first"]) {
        const expected = ["one", "two", "Thank you"];
        if (order === "newest_first") expected.reverse();
        const { messages: first } = await page({ id: talked.id, order });
        const after = first.pageInfo.endCursor;
        const { messages: last } = await page({ id: talked.id, order, after });
        expect([...first.nodes, ...last.nodes].map(({ text }) => text)).toEqual(expected);
        expect([first, last].map(({ pageInfo }) => pageInfo.hasNextPage)).toEqual([true, false]);
      }
    });

    test("rejects a cursor of another parent's list", async () => {
      const other = await converse(["elsewhere"]);
      const { messages } = await page({ id: other.id });
      const { data, errors } = await ask(PAGE, { id: talked.id, after: messages.pageInfo.endCursor });
      expect(data.conversation.messages).toBeNull();
      expect(errors?.[0]?.extensions.code).toBe("invalid_cursor");
    });

    test("needs as many reads for many cursors as for one", async () => {
      const { messages } = await page({ id: talked.id });
      const after = messages.pageInfo.endCursor;
      const reads = jest.spyOn(gateway.services.database, "read");
      const readsOf = async (cursors: number) => {
        reads.mockClear();
        const lists = Array.from(
          { length: cursors },
          (_, i) => `a${i}: messages(first: ${i + 1}, after: $after) { nodes { text } }`,
        );
        const { data, errors } = await ask(
          `query ($id: ID!, $after: String) { conversation(id: $id) { ${lists.join(" ")} } }`,
          { id: talked.id, after },
        );
        expect(Object.values(data.conversation)).toEqual(
          lists.map(() => ({ nodes: [{ text: "Thank you" }] })),
        );
        expect(errors).toBeUndefined();
        return reads.mock.calls.length;
      };
      const [one, five] = [await readsOf(1), await readsOf(5)];
      reads.mockRestore();
      expect(five).toBe(one);
    });

    test("needs as many reads for many parents as for one", async () => {
      const texts = ["first", "second", "third"];
      const ids = [];
      for (let i = 0; i < 5; i += 1) ids.push((await converse(texts)).id);
      const { database } = gateway.services;
      const reads = jest.spyOn(database, "read");
      const readsOf = async (first: number) => {
        reads.mockClear();
        const { data, errors } = await ask(
          `{ conversations(first: ${first}, order: newest_first) { nodes {
             id contact { id decisions { nodes { id } } } line { name } agent { slug }
             messages(first: 2) { nodes { text conversation { id } } }
           } } }`,
        );
        expect(errors).toBeUndefined();
        return { nodes: data.conversations.nodes, count: reads.mock.calls.length };
      };
      const [one, five] = [await readsOf(1), await readsOf(5)];
      reads.mockRestore();
      expect(five.count).toBe(one.count);
      expect(five.nodes.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
      for (const { id, messages } of five.nodes)
        expect(messages.nodes).toEqual([
          { text: "first", conversation: { id } },
          { text: "second", conversation: { id } },
        ]);
    });

    test.each([
      ["counted for every parent, as a report", 9, "messages { totalCount isTotalCountExact }"],
      ["limited by the items of all parents", 50, "messages(first: 100) { nodes { id } }"],
      ["limited by the text of all items, selected or not", 4, "decisions(first: 100) { nodes { id } }"],
      [
        "limited by the selections of all parents, each of which can fail",
        40,
        Array.from({ length: 25 }, (_, i) => `a${i}: messages(first: 1) { __typename }`).join(" "),
      ],
    ])("is %s", async (_, most, selection) => {
      const literal = (first: number) => ask(`{ conversations(first: ${first}) { nodes { ${selection} } } }`);
      const document = `query ($first: Int) { conversations(first: $first) { nodes { ${selection} } } }`;
      const variable = async (first: number) => (await gateway.graphql(document, { first })).body;
      // The second run with a variable uses the known document.
      for (const list of [literal, variable, variable]) {
        expect((await list(most)).errors).toBeUndefined();
        expect((await list(most + 1)).errors?.[0]?.extensions.code).toBe("query_too_complex");
      }
    });
  });
});
