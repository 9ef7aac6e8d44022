import { getNamedType, isObjectType } from "graphql";
import { Permission } from "../../src/auth/permissions";
import { createSchema } from "../../src/graphql/schema";
import { MAX_COUNT } from "../../src/pagination/total-count";
import { addContact, contactClient } from "../support/contacts";
import { addConversation } from "../support/conversations";
import { decisionClient } from "../support/decisions";
import { mint } from "../support/gateway";
import { addMember, addOrganization, codeOf, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { addEndpoint } from "../support/webhooks";

/** The lists that are counted. Events are a log, which is read by position. */
const LISTS = [
  "apiKeys",
  "auditLog",
  "configurationVersions",
  "contacts",
  "conversationMessages",
  "conversations",
  "decisions",
  "exportContact",
  "messages",
  "pets",
  "timers",
  "webhookDeliveries",
];

test("every connection has a total count", () => {
  const fields = Object.values(createSchema().getQueryType()?.getFields() ?? {});
  const counted = fields.filter(({ type }) => {
    const named = getNamedType(type);
    return isObjectType(named) && "isTotalCountExact" in named.getFields();
  });
  expect(counted.map(({ name }) => name).sort()).toEqual(LISTS);
});

describeGateway({ engine: "any" }, (gateway) => {
  let agentId: string;
  let reader: string;
  let ids: { conversation: string; endpoint: string; contact: string };

  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    reader = (
      await addMember(gateway, { permissions: [Permission.config_manage, Permission.conversations_read] })
    ).token;
    for (const name of ["a", "b", "c"])
      await gateway.rest("POST", "/v1/pets", { body: { name, categoryId: 1 } });
    await gateway.rest("POST", "/v1/pets", { body: { name: "d", categoryId: 1, status: "sold" } });
    for (const name of ["count one", "count two"]) await mint(gateway, { name });
    const contact = await addContact(gateway, { agentId, ref: "ada", name: "Ada Lovelace" });
    await addContact(gateway, { agentId, ref: "ada-2", name: "Ada Byron" });
    await contactClient(gateway).addTags(contact, ["vip"]);
    const { id: conversation } = await addConversation(gateway, { agentId });
    for (const message of ["one", "two", "three"])
      await gateway.rest("POST", `/agent/conversations/${conversation}/messages`, { body: { message } });
    for (let i = 0; i < 2; i++) await decisionClient(gateway).decide({ type: "counted" });
    ids = { conversation, endpoint: (await addEndpoint(gateway, { agentId })).id, contact };
    // Other organizations' items are not counted.
    const { agentId: other } = await addOrganization(gateway, "others");
    await addContact(gateway, { agentId: other, ref: "ada" });
  });

  const count = async (field: string, token = reader, variables = {}) => {
    const { body } = await gateway.graphql(
      `{ ${field} { totalCount isTotalCountExact nodes { __typename } } }`,
      variables,
      { token },
    );
    expect(body.errors).toBeUndefined();
    const [{ totalCount, isTotalCountExact, nodes }] = Object.values(body.data) as [
      { totalCount: number; isTotalCountExact: boolean; nodes: unknown[] },
    ];
    expect(isTotalCountExact).toBe(true);
    return { count: totalCount, nodes: nodes.length };
  };

  test.each(LISTS)("%s can be counted without any of its items", async (list) => {
    const field = createSchema().getQueryType()?.getFields()[list];
    const args = [
      "first: 0",
      ...(["contacts", "conversations", "decisions", "messages", "configurationVersions", "timers"].includes(
        list,
      )
        ? [`agentId: "${agentId}"`]
        : []),
      ...(field?.args.some(({ name }) => name === "id")
        ? [`id: "${list === "exportContact" ? ids.contact : ids.conversation}"`]
        : []),
      ...(field?.args.some(({ name }) => name === "endpointId") ? [`endpointId: "${ids.endpoint}"`] : []),
    ];
    const ask = (selection: string) =>
      gateway.graphql(`{ ${list}(${args}) { ${selection} } }`, {}, { token: reader });
    const { count: all } = await count(`${list}(${args.slice(1).join() || "first: 1"})`);
    expect(
      (
        await ask(
          "...on " +
            getNamedType(field?.type) +
            " { totalCount } nodes { __typename } pageInfo { hasNextPage endCursor }",
        )
      ).body,
    ).toEqual({
      data: {
        [list]: {
          totalCount: all,
          nodes: [],
          pageInfo: { hasNextPage: all > 0, endCursor: null },
        },
      },
    });
    expect(codeOf(await ask("nodes { __typename }"))).toBe("invalid_request");
  });

  test("is the number of items on all pages, with the filters of the list", async () => {
    const of = `agentId: "${agentId}"`;
    for (const [field, counted, nodes, token] of [
      ["pets(first: 2)", 4, 2, gateway.key],
      ["pets(status: sold)", 1, 1, gateway.key],
      ["apiKeys(first: 1)", 3, 1],
      ['apiKeys(search: "count")', 2, 2],
      ['apiKeys(agentId: "x")', 0, 0],
      [`contacts(${of})`, 3, 3],
      [`contacts(first: 1, ${of}, search: "Ada")`, 2, 1],
      [`contacts(${of}, tag: "vip")`, 1, 1],
      [`contacts(${of}, search: "Ada", tag: "vip")`, 1, 1],
      [`conversations(${of})`, 1, 1],
      [`conversations(${of}, contactId: "x")`, 0, 0],
      [`conversationMessages(id: "${ids.conversation}", first: 1)`, 3, 1],
      [`messages(${of}, first: 1)`, 3, 1],
      [`messages(${of}, status: canceled)`, 0, 0],
      [`decisions(${of}, first: 1)`, 2, 1],
      [`configurationVersions(${of})`, 1, 1],
      [`webhookDeliveries(endpointId: "${ids.endpoint}")`, 0, 0],
      ["auditLog(first: 1, action: api_key_created)", 3, 1],
    ] as const)
      expect([field, await count(field, token)]).toEqual([field, { count: counted, nodes }]);
  });

  test("stays the same on a later page", async () => {
    const page =
      "query ($after: String) { pets(first: 1, after: $after) { totalCount pageInfo { endCursor } } }";
    const { pets } = (await gateway.graphql(page)).body.data;
    const later = await gateway.graphql(page, { after: pets.pageInfo.endCursor });
    expect(later.body.data.pets.totalCount).toBe(pets.totalCount);
  });

  test("is not counted unless it is selected, even by compiled queries", async () => {
    const report = jest.spyOn(gateway.services.database, "report");
    for (let i = 0; i < 3; i++) await gateway.graphql("{ pets(first: 2) { nodes { id } } }");
    expect(report).not.toHaveBeenCalled();
    for (let i = 0; i < 3; i++) await gateway.graphql("{ pets(first: 2) { totalCount isTotalCountExact } }");
    expect(report).toHaveBeenCalledTimes(3);
    report.mockRestore();
  });

  test.each(["totalCount", "isTotalCountExact", "totalCount ... { isTotalCountExact again: totalCount }"])(
    "costs as much as one report: %s",
    async (selection) => {
      const counts = (number: number) =>
        gateway.graphql(
          `{ ${Array.from({ length: number }, (_, i) => `p${i}: pets(first: 1) { ${selection} }`).join(" ")} }`,
        );
      expect(codeOf(await counts(10))).toBeUndefined();
      expect(codeOf(await counts(11))).toBe("query_too_complex");
    },
  );

  test("says so if there are more items than it counts", async () => {
    const { services } = gateway;
    const missing = MAX_COUNT - 4;
    await services.pets.seed(missing);
    const total = async () =>
      (await gateway.graphql("{ pets(first: 1) { totalCount isTotalCountExact } }")).body.data.pets;
    expect(await total()).toEqual({ totalCount: MAX_COUNT, isTotalCountExact: true });
    await services.pets.seed(1);
    expect(await total()).toEqual({ totalCount: MAX_COUNT, isTotalCountExact: false });
  });
});
