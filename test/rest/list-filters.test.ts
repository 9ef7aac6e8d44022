import type { Scope } from "../../src/auth/permissions";
import { addContact } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { mint } from "../support/gateway";
import { addLine } from "../support/lines";
import { callTool } from "../support/mcp";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

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

  /** The values that stand for `$name` in the table. */
  const standsFor = (name: string) =>
    ({
      contact: talked[0]?.contactId,
      conversation: talked[0]?.id,
      line: talked[1]?.line,
      loose,
    })[name] ?? "";

  test.each([
    ["messages, newest first", "/messages?order=newest_first", "messages(order: newest_first)"],
    ["messages with a status", "/messages?status=canceled", "messages(status: canceled)"],
    ["contacts, newest first", "/agent/contacts?order=newest_first", "contacts(order: newest_first)"],
    ["contacts by ID", "/agent/contacts?ids=$loose&ids=$contact", 'contacts(ids: ["$loose", "$contact"])'],
    ["conversations on a line", "/agent/conversations?line=$line", 'conversations(line: { name: "$line" })'],
    [
      "conversations, last activity first",
      "/agent/conversations?order=last_activity_first",
      "conversations(order: last_activity_first)",
    ],
    [
      "messages of a conversation, newest first",
      "/agent/conversations/$conversation/messages?order=newest_first",
      'conversationMessages(id: "$conversation", order: newest_first)',
    ],
    ["decisions about a contact", "/agent/decisions?contactId=$contact", 'decisions(contactId: "$contact")'],
    ["decisions with an outcome", "/agent/decisions?outcome=send", "decisions(outcome: send)"],
  ])("REST lists %s like GraphQL, page by page", async (_, ...texts) => {
    const [url = "", field] = texts.map((text) => text.replace(/\$(\w+)/g, (_, name) => standsFor(name)));
    const [path = ""] = url.split("?");
    const { body } = await gateway.graphql(`{ ${field} { nodes { id } } }`);
    const expected = Object.values<{ nodes: { id: string }[] }>(body.data)[0]?.nodes.map(({ id }) => id);
    const all = await gateway.rest("GET", path);
    expect(expected).not.toEqual(all.body.map(({ id }: { id: string }) => id));
    const found: string[] = [];
    let next: string | undefined = `${url}&limit=1`;
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
