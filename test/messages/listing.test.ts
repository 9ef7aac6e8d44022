import { Permission } from "../../src/auth/permissions";
import { addConversation, conversationClient } from "../support/conversations";
import { decisionClient } from "../support/decisions";
import { mint } from "../support/gateway";
import { addLine } from "../support/lines";
import { addAgent, addMember, addOrganization, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

describeGateway((gateway) => {
  let token: string;
  let keys: string[];
  beforeAll(async () => {
    await addOrganization(gateway, "two");
    token = (await addMember(gateway, { org: "two", permissions: Object.values(Permission) })).token;
    const { token: second } = await addAgent(gateway, "second", "two");
    keys = [(await mint(gateway, { agent: "two-agent" })).secret, second];
  });

  /** Returns the IDs on all pages of a list of all agents. */
  async function idsOf(list: string, statuses?: string[] | null, order?: string): Promise<string[]> {
    const declared = statuses === undefined ? "" : "$statuses: [MessageStatus!], ";
    const args = statuses === undefined ? "" : `statuses: $statuses, order: ${order}`;
    const ids: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const { body } = await gateway.graphql(
        `query (${declared}$after: String) {
          ${list}(first: 2, after: $after ${args}) { nodes { id } pageInfo { hasNextPage endCursor } totalCount } }`,
        { statuses, after },
        { token },
      );
      const { nodes, pageInfo } = body.data[list];
      ids.push(...nodes.map(({ id }: { id: string }) => id));
      [after, more] = [pageInfo.endCursor, pageInfo.hasNextPage];
      if (!more) expect(ids).toHaveLength(body.data[list].totalCount);
    }
    return ids;
  }

  test("messages of all agents are listed page by page, in order, by their statuses", async () => {
    const sent: string[] = [];
    for (let i = 0; i < 6; i += 1) {
      const call = { token: keys[i % 2] as string, body: { message: `${i}` } };
      sent.push((await gateway.rest("POST", "/messages", call)).body.id);
    }
    await gateway.rows.execute("update message set status = 'failed' where id = $1", [sent[3]]);
    expect(await idsOf("messages", null, "oldest_first")).toEqual(sent);
    expect(await idsOf("messages", ["queued", "failed"], "newest_first")).toEqual(sent.toReversed());
    expect(await idsOf("messages", ["failed", "failed"], "oldest_first")).toEqual([sent[3]]);
    expect(await idsOf("messages", [], "oldest_first")).toEqual([]);
  });

  test("each message has the name of the line that sent it or on which it waits", async () => {
    const agentId = await firstAgentId(gateway);
    const [first, second] = [await addLine(gateway, { agentId }), await addLine(gateway, { agentId })];
    const client = conversationClient(gateway);
    const { id } = await addConversation(gateway, { agentId, line: first.name });
    const sent = (await client.send(id, "sent")).body.data.sendToConversation.id;
    await gateway.rows.execute("update message set status = 'sent', line_id = $1 where id = $2", [
      first.id,
      sent,
    ]);
    await client.send(id, "waiting");
    await client.move(id, { line: second.name });
    const loose = (await gateway.rest("POST", "/messages", { body: { message: "loose" } })).body.id;
    const { body } = await gateway.graphql(
      "{ messages(order: newest_first, first: 3) { nodes { id lineName } } }",
    );
    const names = body.data.messages.nodes.map(({ lineName }: { lineName: string }) => lineName);
    expect(body.data.messages.nodes[0].id).toBe(loose);
    expect(names).toEqual(["main", second.name, first.name]);
  });

  test("decisions of all agents are listed page by page, newest first", async () => {
    const made: string[] = [];
    for (let i = 0; i < 5; i += 1)
      made.push((await decisionClient(gateway, keys[i % 2] as string).decide({})).body.id);
    expect(await idsOf("decisions")).toEqual(made.toReversed());
  });
});
