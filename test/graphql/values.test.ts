import { encodeCursor } from "../../src/pagination/cursor";
import { expectGraphQLError } from "../support/rejections";
import { describeGateway } from "../support/suite";

const CREATE = "mutation ($input: CreatePetInput!) { createPet(input: $input) { id } }";
const SEND = "mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }";
const LISTS = ["pets", "messages", "apiKeys", "auditLog"];
const BAD_CURSORS = [
  "",
  "x",
  "1",
  encodeCursor("nothing", "1"),
  encodeCursor("pet", "1").replace(/^./, "B"),
  "\0",
  "'--",
];

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  test.each<[string, object]>([
    ["an empty name", { name: "" }],
    ["a blank name", { name: " \n\u3000" }],
    ["a name of 201 characters", { name: "x".repeat(201) }],
    ["a name of 201 emoji", { name: "🐕".repeat(201) }],
    ["a name with NUL", { name: "R\0x" }],
    ["a name with a lone surrogate", { name: "R\ud800x" }],
    ["a name that is null", { name: null }],
    ["a name that is a number", { name: 1 }],
    ["a name that is a list", { name: ["Rex"] }],
    ["an empty categoryId", { categoryId: "" }],
    ["a categoryId that is text", { categoryId: "seven" }],
    ["a categoryId that is null", { categoryId: null }],
    ["a categoryId of 1.5", { categoryId: 1.5 }],
    ["a categoryId of 1.5 as text", { categoryId: "1.5" }],
    ["a categoryId of 2^63", { categoryId: "9223372036854775808" }],
    ["a categoryId below -2^63", { categoryId: "-9223372036854775809" }],
    ["a categoryId with a leading zero", { categoryId: "07" }],
    ["a categoryId with a blank", { categoryId: " 7" }],
    ["a categoryId with NUL", { categoryId: "7\0" }],
    ["a categoryId of a thousand digits", { categoryId: "9".repeat(1000) }],
    ["an unknown status", { status: "lost" }],
    ["a status that is a number", { status: 1 }],
    ["an empty idempotency key", { idempotencyKey: "" }],
    ["an idempotency key of 256 characters", { idempotencyKey: "x".repeat(256) }],
    ["an idempotency key with NUL", { idempotencyKey: "a\0" }],
    ["an unknown field", { id: "1" }],
  ])("a pet with %s is rejected", async (_, fault) => {
    const input = { name: "Rex", categoryId: "1", ...fault };
    expectGraphQLError(await gateway.graphql(CREATE, { input }), "invalid_request");
  });

  test.each(["9007199254740992", "9007199254740993", "1e16", "-9223372036854775808"])(
    "the categoryId %s, which JSON parsers round, is rejected with advice",
    async (categoryId) => {
      const body = `{"query":${JSON.stringify(CREATE)},"variables":{"input":{"name":"Rex","categoryId":${categoryId}}}}`;
      const reply = await gateway.rest("POST", "/graphql", {
        body,
        headers: { accept: "application/graphql-response+json" },
      });
      expectGraphQLError(reply, "invalid_request");
      expect(reply.body.errors[0].message).toMatch(
        /^input.categoryId must be a string, because many JSON parsers round integers beyond 2\^53$/,
      );
    },
  );

  test.each<[string, unknown]>([
    ["empty", ""],
    ["blank", " "],
    ["of 10,001 characters", "x".repeat(10_001)],
    ["with NUL", "\0"],
    ["with a lone surrogate", "\udc00"],
    ["that is null", null],
    ["that is a number", 1],
  ])("a message %s is rejected", async (_, message) => {
    expectGraphQLError(await gateway.graphql(SEND, { input: { text: message } }), "invalid_request");
  });

  describe.each(LISTS)("%s", (list) => {
    const ask = (variables: object) =>
      gateway.graphql(
        `query ($first: Int, $after: String) { ${list}(first: $first, after: $after) { nodes { id } } }`,
        { ...variables },
        { token: ["pets", "messages"].includes(list) ? gateway.key : gateway.owner },
      );

    test.each([0, -1, 101, 1.5, "1", "", true, 99999999999, [[1, 2]], null])(
      "rejects first: %j",
      async (first) => {
        expectGraphQLError(await ask({ first }), "invalid_request");
      },
    );

    test.each(BAD_CURSORS)("rejects the cursor %j", async (after) => {
      expectGraphQLError(await ask({ after }), "invalid_cursor");
    });

    test.each([1, 100])("accepts first: %j", async (first) => {
      expect((await ask({ first, after: null })).status).toBe(200);
    });
  });
});

describeGateway({ engine: "any", strict: true, storesNothing: true }, (gateway) => {
  test.each([
    "text",
    "",
    "\0",
    "1\0",
    "-1",
    "1.5",
    "9223372036854775808",
    "__proto__",
    "' OR 1=1",
    "\ud800",
    "x".repeat(10_000),
  ])("no pet, message or key has the ID %j", async (id) => {
    const own = await gateway.graphql("query ($id: ID!) { pet(id: $id) { id } message(id: $id) { id } }", {
      id,
    });
    expect(own.body).toEqual({ data: { pet: null, message: null } });
    const call = { token: gateway.owner };
    const key = await gateway.graphql("query ($id: ID!) { apiKey(id: $id) { id } }", { id }, call);
    expect(key.body).toEqual({ data: { apiKey: null } });
    const keys = await gateway.graphql(
      "query ($id: ID!) { apiKeys(agentId: $id) { nodes { id } } }",
      { id },
      call,
    );
    expect(keys.body).toEqual({ data: { apiKeys: { nodes: [] } } });
    for (const field of [
      "revokeApiKey(input: { id: $id }) { id }",
      "rotateApiKey(input: { id: $id }) { secret }",
      'updateApiKey(input: { id: $id, name: "x" }) { id }',
    ]) {
      const changed = await gateway.graphql(`mutation ($id: ID!) { ${field} }`, { id }, call);
      expectGraphQLError(changed, "not_found");
    }
  });
});
