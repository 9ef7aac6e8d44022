import { addContact, contactClient } from "../support/contacts";
import { addConversation } from "../support/conversations";
import { decisionClient } from "../support/decisions";
import { mint } from "../support/gateway";
import { addLine } from "../support/lines";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "any" }, (gateway) => {
  let agentId: string;
  let conversation: string;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    for (const name of ["a", "b", "c", "d", "e"]) {
      const id = await addContact(gateway, { agentId, ref: name, name: `Named ${name}` });
      await contactClient(gateway).addTags(id, ["vip"]);
      ({ id: conversation } = await addConversation(gateway, { agentId }));
    }
    for (const message of ["1", "2", "3", "4", "5"])
      await gateway.rest("POST", `/agent/conversations/${conversation}/messages`, { body: { message } });
  });

  const nodesOf = async (list: string, args: string, fields = "id") => {
    const { body } = await gateway.graphql(
      `{ ${list}${args && `(${args})`} { nodes { ${fields} } pageInfo { endCursor hasNextPage } } }`,
    );
    expect(body.errors).toBeUndefined();
    return body.data[list] as {
      nodes: Record<string, string>[];
      pageInfo: { endCursor: string; hasNextPage: boolean };
    };
  };
  const idsOf = async (list: string, args: string) => {
    const ids: string[] = [];
    for (let after = ""; ; ) {
      const { nodes, pageInfo } = await nodesOf(list, `${args} first: 2 ${after}`);
      ids.push(...nodes.map(({ id }) => id as string));
      if (!pageInfo.hasNextPage) return ids;
      after = `after: "${pageInfo.endCursor}"`;
    }
  };

  test.each([
    ["conversations", () => "state: open"],
    ["messages", () => ""],
    ["conversationMessages", () => `id: "${conversation}"`],
    ["contacts", () => ""],
    ["contacts", () => 'tag: "vip"'],
    ["contacts", () => 'search: "named", tag: "vip"'],
  ])("%s are listed from either end, page by page", async (list, args) => {
    const oldest = await idsOf(list, args());
    expect(oldest.length).toBeGreaterThanOrEqual(5);
    expect(oldest).toEqual([...oldest].sort());
    expect(await idsOf(list, `${args()} order: newest_first`)).toEqual(oldest.toReversed());
  });

  test("conversations are listed by their last activity, page by page", async () => {
    const before = await idsOf("conversations", "order: last_activity_first");
    expect(before).toContain(conversation);
    const [oldest = ""] = await idsOf("conversations", "");
    await gateway.rest("POST", `/agent/conversations/${oldest}/messages`, { body: { message: "again" } });
    expect(await idsOf("conversations", "order: last_activity_first")).toEqual([
      oldest,
      ...before.filter((id) => id !== oldest),
    ]);
    await gateway.rest("POST", `/agent/conversations/${conversation}/close`, { body: {} });
    expect(await idsOf("conversations", "order: last_activity_first")).toEqual([
      conversation,
      oldest,
      ...before.filter((id) => id !== oldest && id !== conversation),
    ]);
    const times = await nodesOf("conversations", "order: last_activity_first", "updatedAt");
    const sorted = times.nodes.map(({ updatedAt }) => updatedAt).sort();
    expect(times.nodes.map(({ updatedAt }) => updatedAt)).toEqual(sorted.toReversed());
  });

  test("a cursor of conversations is valid in every order", async () => {
    const { pageInfo } = await nodesOf("conversations", "order: last_activity_first, first: 1");
    const [first = ""] = await idsOf("conversations", "order: last_activity_first");
    const all = await idsOf("conversations", "");
    const { nodes } = await nodesOf("conversations", `after: "${pageInfo.endCursor}"`);
    expect(nodes.map(({ id }) => id)).toEqual(all.slice(all.indexOf(first) + 1));
  });

  test("a conversation shows its last message, on one line and in part", async () => {
    const { id } = await addConversation(gateway, { agentId });
    const last = async () => {
      const fields = "id lastMessage { text preview author sequence }";
      const { nodes } = await nodesOf("conversations", "order: newest_first, first: 2", fields);
      return nodes.find((node) => node.id === id)?.lastMessage;
    };
    expect(await last()).toBeNull();
    const send = (message: string) =>
      gateway.rest("POST", `/agent/conversations/${id}/messages`, { body: { message } });
    await send("first");
    await send(" second\n\tline ");
    expect(await last()).toMatchObject({ preview: "second line", author: "api", sequence: 2 });
    await send("😀".repeat(100));
    expect(await last()).toMatchObject({ preview: "😀".repeat(100) });
    await send("😀".repeat(101));
    expect(await last()).toMatchObject({ preview: `${"😀".repeat(100)}…`, text: "😀".repeat(101) });
  });

  test("a key that may not read messages sees conversations without them", async () => {
    await gateway.rest("POST", `/agent/conversations/${conversation}/messages`, { body: { message: "x" } });
    const { secret: token } = await mint(gateway, { scopes: ["conversations:read"] });
    const list = (fields: string) =>
      gateway.graphql(`{ conversations { nodes { ${fields} } } }`, {}, { token });
    expect((await list("id")).body.errors).toBeUndefined();
    const { body } = await list("id lastMessage { text }");
    expect(body.errors[0].extensions.code).toBe("insufficient_scope");
    expect(
      body.data.conversations.nodes.every(({ lastMessage }: { lastMessage: null }) => !lastMessage),
    ).toBe(true);
  });

  test("contacts are read by their IDs, without other agents' contacts", async () => {
    const [first, , third] = await idsOf("contacts", "");
    const listed = (more: string) =>
      idsOf("contacts", `ids: ["${third}", "${first}", "unknown", "${conversation}"] ${more}`);
    expect(await listed("")).toEqual([first, third]);
    expect(await listed('search: "a"')).toEqual([first]);
    expect(await listed('tag: "vip", order: newest_first')).toEqual([third, first]);
    expect(await idsOf("contacts", "ids: []")).toEqual([]);
  });

  test("conversations are found by the name of their line", async () => {
    const { name } = await addLine(gateway, { agentId });
    const { id } = await addConversation(gateway, { agentId, line: name });
    expect(await idsOf("conversations", `line: { name: "${name}" }`)).toEqual([id]);
    for (const unknown of ["absent", "\\u0000"])
      expect(await idsOf("conversations", `line: { name: "${unknown}" }`)).toEqual([]);
  });

  test("decisions are found by their contact and by their outcome", async () => {
    const contact = await addContact(gateway, { agentId });
    const decided = await decisionClient(gateway).decide({ type: "unheard.of", contact: { id: contact } });
    await decisionClient(gateway).decide({ type: "unheard.of" });
    expect(await idsOf("decisions", `contactId: "${contact}"`)).toEqual([decided.body.id]);
    expect(await idsOf("decisions", `contactId: "unknown"`)).toEqual([]);
    expect(
      await idsOf("decisions", `contactId: "${contact}", outcome: ${decided.body.outcome}`),
    ).toHaveLength(1);
    const { nodes } = await nodesOf("decisions", "outcome: handoff", "outcome");
    expect(nodes.every(({ outcome }) => outcome === "handoff")).toBe(true);
    expect(await idsOf("decisions", `contactId: "${contact}", outcome: stale`)).toEqual([]);
  });
});
