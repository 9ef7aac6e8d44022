import type { Scope } from "../../src/auth/permissions";
import { addContact } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { mint } from "../support/gateway";
import { addLine } from "../support/lines";
import { callTool } from "../support/mcp";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

/** A list in REST and GraphQL. */
interface List {
  path: string;
  parameters: string;
  field: string;
}

describeGateway({ engine: "any" }, (gateway) => {
  /** Conversations on two lines with three messages each, and decisions about their contacts. */
  let talked: { id: string; contactId: string; line: string }[];
  let loose: string;

  beforeAll(async () => {
    const agentId = await firstAgentId(gateway);
    await publish(gateway, agentId, {
      situations: { thanked: {}, ignored: {} },
      rules: [{ id: "thanks", on: "thanked", when: [], do: [{ send: "thanks" }] }],
      otherwise: [],
      templates: { thanks: "Thank you" },
    });
    talked = [];
    for (const type of ["thanked", "ignored"]) {
      const { name: line } = await addLine(gateway, { agentId });
      const conversation = await addConversation(gateway, { agentId, line });
      for (const text of ["one", "two", "three"])
        await conversationClient(gateway).send(conversation.id, text);
      const { id: conversationId, contactId } = conversation;
      await decisionClient(gateway).decide({ type, contact: { id: contactId }, conversationId });
      talked.push({ ...conversation, line });
    }
    loose = await addContact(gateway, { agentId, ref: "loose" });
  });

  test.each<[string, () => List]>([
    [
      "messages, newest first",
      () => list("/messages", "order=newest_first", "messages(order: newest_first)"),
    ],
    ["messages with a status", () => list("/messages", "status=canceled", "messages(status: canceled)")],
    [
      "contacts, newest first",
      () => list("/agent/contacts", "order=newest_first", "contacts(order: newest_first)"),
    ],
    [
      "contacts by ID",
      () => {
        const ids = [loose, talked[0]?.contactId];
        const parameters = ids.map((id) => `ids=${id}`).join("&");
        return list("/agent/contacts", parameters, `contacts(ids: ${JSON.stringify(ids)})`);
      },
    ],
    [
      "conversations on a line",
      () => {
        const line = talked[1]?.line;
        return list("/agent/conversations", `line=${line}`, `conversations(line: { name: "${line}" })`);
      },
    ],
    [
      "conversations, last activity first",
      () => {
        const order = "last_activity_first";
        return list("/agent/conversations", `order=${order}`, `conversations(order: ${order})`);
      },
    ],
    [
      "messages of a conversation, newest first",
      () => {
        const id = talked[0]?.id;
        const field = `conversationMessages(id: "${id}", order: newest_first)`;
        return list(`/agent/conversations/${id}/messages`, "order=newest_first", field);
      },
    ],
    [
      "decisions about a contact",
      () => {
        const id = talked[0]?.contactId;
        return list("/agent/decisions", `contactId=${id}`, `decisions(contactId: "${id}")`);
      },
    ],
    ["decisions with an outcome", () => list("/agent/decisions", "outcome=send", "decisions(outcome: send)")],
  ])("REST lists %s like GraphQL, page by page", async (_, listOf) => {
    const { path, parameters, field } = listOf();
    const { body } = await gateway.graphql(`{ ${field} { nodes { id } } }`);
    const expected = Object.values<{ nodes: { id: string }[] }>(body.data)[0]?.nodes.map(({ id }) => id);
    const all = await gateway.rest("GET", path);
    expect(expected).not.toEqual(all.body.map(({ id }: { id: string }) => id));
    const found: string[] = [];
    let next: string | undefined = `${path}?${parameters}&limit=1`;
    while (next !== undefined) {
      const page: Awaited<ReturnType<typeof gateway.rest>> = await gateway.rest("GET", next);
      expect(page.status).toBe(200);
      found.push(...page.body.map(({ id }: { id: string }) => id));
      const link = page.headers.get("link");
      next =
        link === null ? undefined : /<[^>]*?(\/[a-z][^>]*)>/.exec(link.replace(/https?:\/\/[^/]*/, ""))?.[1];
    }
    expect(found).toEqual(expected);
  });

  test("conversations show their last message in all three APIs, to keys that may read messages", async () => {
    const fields = "id sequence author status preview createdAt";
    const { body } = await gateway.graphql(`{ conversations { nodes { id lastMessage { ${fields} } } } }`);
    const lastMessages = (items: { id: string; lastMessage?: object | null }[]) =>
      items.map(({ id, lastMessage }) => ({ id, lastMessage }));
    const expected = lastMessages(body.data.conversations.nodes);
    expect(expected[0]?.lastMessage).toMatchObject({ preview: expect.stringMatching(/^three$|^Thank you$/) });

    for (const [scopes, isShown] of [
      [["conversations:read", "messages:read"], true],
      [["conversations:read"], false],
    ] satisfies [Scope[], boolean][]) {
      const { secret: token } = await mint(gateway, { scopes });
      const rest = await gateway.rest("GET", "/agent/conversations", { token });
      const tool = (await callTool(gateway, "listConversations", {}, { token })).body.result;
      for (const items of [rest.body, JSON.parse(tool.content[0].text), tool.structuredContent.items])
        expect(lastMessages(items)).toEqual(isShown ? expected : expected.map(({ id }) => ({ id })));
    }
  });
});

const list = (path: string, parameters: string, field: string): List => ({ path, parameters, field });
