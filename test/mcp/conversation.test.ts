import type { Client } from "@modelcontextprotocol/client";
import { BACKGROUND } from "../../src/database/limits";
import { addConversation } from "../support/conversations";
import { mint } from "../support/gateway";
import { type Arguments, mcpClient } from "../support/mcp";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

const MESSAGES = 10_000;

describeGateway({ engine: "one" }, (gateway) => {
  let client: Client;
  let conversationId: string;

  beforeAll(async () => {
    const agentId = await firstAgentId(gateway);
    ({ id: conversationId } = await addConversation(gateway, { agentId }));
    await gateway.services.database.write(
      async (tx) => {
        await tx.query(
          `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MESSAGES})
           INSERT INTO message (id, agent_id, conversation_id, sequence, message, status, created_at)
           SELECT '${conversationId.slice(0, 24)}' || substr(cast(1000000000000 + i AS text), 2), '${agentId}',
             '${conversationId}', i, 'Message ' || cast(i AS text), 'delivered', '2026-01-02T03:04:05.000Z' FROM n`,
        );
        await tx.query(`UPDATE conversation SET last_sequence = ${MESSAGES} WHERE id = '${conversationId}'`);
      },
      { limits: BACKGROUND },
    );
    const { secret } = await mint(gateway, {
      scopes: ["conversations:read", "messages:read", "contacts:read", "mcp:graphql"],
    });
    client = await mcpClient(gateway, secret);
  });
  afterAll(() => client.close());

  const call = async (name: string, args: Arguments) => {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
    const [part] = content;
    if (part?.type !== "text" || isError) throw new Error(JSON.stringify(content));
    return { text: part.text, items: (structuredContent as { items?: object[] } | undefined)?.items ?? [] };
  };

  test("a model finds the newest message in a long conversation with one call per method, in five turns", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["listConversations", "listConversationMessages", "searchSchema", "runGraphql"]),
    );

    const [conversation] = (await call("listConversations", { order: "last_activity_first", limit: 1 }))
      .items;
    expect(conversation).toMatchObject({
      id: conversationId,
      lastSequence: MESSAGES,
      lastMessage: { sequence: MESSAGES, preview: `Message ${MESSAGES}` },
    });

    const newest = { conversationId, order: "newest_first", limit: 1 };
    const { items, text } = await call("listConversationMessages", newest);
    expect(items).toEqual([expect.objectContaining({ message: `Message ${MESSAGES}`, sequence: MESSAGES })]);
    expect(text.length).toBeLessThan(1_000);

    const { text: found } = await call("searchSchema", { words: "newest messages of a conversation" });
    expect(found).toMatch(/conversationMessages\(|lastMessage/);

    const document = `query ($id: ID!) {
      conversation(id: $id) { messages(first: 1, order: newest_first) { nodes { text sequence } } }
    }`;
    const result = await call("runGraphql", { document, variables: { id: conversationId } });
    expect(JSON.parse(result.text).data.conversation.messages.nodes).toEqual([
      { text: `Message ${MESSAGES}`, sequence: MESSAGES },
    ]);
  });
});
