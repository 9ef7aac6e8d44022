import { SCOPES, Scope } from "../../src/auth/permissions";
import { mint } from "../support/gateway";
import { type Arguments, callTool, rpc, toolError } from "../support/mcp";
import { describeGateway } from "../support/suite";

const TOOLS = ["searchSchema", "runGraphql"];

describeGateway({ engine: "one", strict: true }, (gateway) => {
  const tokenWith = async (...scopes: Scope[]) =>
    (await mint(gateway, { scopes: ["mcp:graphql", ...scopes] })).secret;
  const call = async (name: string, args: Arguments, token = gateway.key) => {
    const reply = await callTool(gateway, name, args, { token });
    const { content, isError = false } = reply.body.result;
    return { reply, text: content[0].text as string, isError };
  };
  const run = async (document: string, variables?: unknown, token?: string) => {
    const { text, isError } = await call("runGraphql", { document, variables }, token);
    return { ...JSON.parse(text), isError };
  };
  const search = async (words: string, token?: string) => (await call("searchSchema", { words }, token)).text;

  test("only a key with mcp:graphql sees and calls the tools", async () => {
    const { secret: token } = await mint(gateway, {
      scopes: SCOPES.filter((each) => each !== "mcp:graphql"),
    });
    const namesFor = async (key: string) =>
      (await rpc(gateway, "tools/list", {}, { token: key })).body.result.tools.map(
        ({ name }: { name: string }) => name,
      );
    expect(await namesFor(await tokenWith())).toEqual(["whoami", ...TOOLS]);
    expect(await namesFor(token)).not.toEqual(expect.arrayContaining(TOOLS));
    for (const [name, args] of [
      ["searchSchema", { words: "pets" }],
      ["runGraphql", { document: "{ whoami { key { id } } }" }],
    ] as const) {
      const { reply } = await call(name, args, token);
      expect(toolError(reply)).toMatchObject({ code: "insufficient_scope", status: 403 });
    }
  });

  test("a search finds fields and types by their words, and returns SDL", async () => {
    expect(await search("send message to conversation")).toMatch(
      /type Mutation {[^}]*\n {2}sendToConversation\(/,
    );
    expect(await search("PetStatus")).toMatch(/^"""Availability of a pet\."""\nenum PetStatus {/);
    expect(await search("categoryId")).toContain("input CreatePetInput {");
    expect(await search("zzzzzz")).toBe("# There are no matches.");
  });

  test("a search shows only what the key may use", async () => {
    const token = await tokenWith("pets:read");
    expect(await search("pets", token)).toContain("type Query {");
    for (const words of ["createPet", "sendToConversation", "createApiKey", "signOut", "Contact"]) {
      expect(await search(words, token)).not.toMatch(
        /createPet|sendToConversation|createApiKey|signOut|type Contact /,
      );
    }
    expect(await search("PutContactInput")).toMatch(/^input PutContactInput {(?![^}]*agentId)/m);
  });

  test("the response to a search has a limited length", async () => {
    const text = await search("id name agent contact conversation message event key line decision");
    expect(text.length).toBeLessThan(11_000);
    expect(text).toMatch(/# Further matches: \w+/);
  });

  test("a document has the same effects and results as at /graphql", async () => {
    const document = "mutation ($input: CreatePetInput!) { createPet(input: $input) { id name categoryId } }";
    const input = { name: "Rex", categoryId: "9223372036854775807" };
    const { data } = await run(document, { input });
    expect(data.createPet).toMatchObject(input);
    const query = "query ($id: ID!) { pet(id: $id) { name categoryId } }";
    const variables = { id: data.createPet.id };
    expect(await run(query, variables)).toEqual({
      ...(await gateway.graphql(query, variables)).body,
      isError: false,
    });
  });

  test.each([null, ""])("variables that are %j count as omitted", async (variables) => {
    const { data, isError } = await run("{ pets(first: 1) { totalCount } }", variables);
    expect([isError, data.pets.totalCount]).toEqual([false, expect.any(Number)]);
  });

  test("a document runs with the key's rights", async () => {
    const token = await tokenWith("pets:read");
    expect((await run("{ pets { nodes { id } } }", {}, token)).errors).toBeUndefined();
    const document = 'mutation { createPet(input: { name: "Rex", categoryId: "1" }) { id } }';
    const { errors, isError } = await run(document, {}, token);
    expect(isError).toBe(true);
    expect(errors).toEqual((await gateway.graphql(document, {}, { token })).body.errors);
  });

  test.each([
    ["a subscription", "subscription { events { id } }", "invalid_request"],
    ["a syntax error", "{", "graphql_parse_failed"],
    ["an unknown field", "{ cats }", "graphql_validation_failed"],
    ["too many fields", `{ ${"whoami { key { id } } ".repeat(200)} }`, "query_too_complex"],
    ["too large a response", `{ ${pages(50)} }`, "query_too_complex"],
    ["a missing variable", "query ($id: ID!) { pet(id: $id) { id } }", "invalid_request"],
  ])("%s is rejected as at /graphql", async (_, document, code) => {
    const { errors, isError } = await run(document);
    expect(isError).toBe(true);
    expect(errors[0].extensions.code).toBe(code);
    expect(errors).toEqual((await gateway.graphql(document)).body.errors);
    expect(gateway.log()).not.toContain('"level":50');
  });

  test.each<[string, Arguments, string]>([
    [
      "a body that is too large",
      { document: "{ x }", variables: { x: "x".repeat(65_536) } },
      "payload_too_large",
    ],
    ["a document that is too long", { document: " ".repeat(30_001) }, "invalid_request"],
    ["no document", {}, "invalid_request"],
    ["an unknown argument", { document: "{ x }", query: "{ x }" }, "invalid_request"],
    ["variables in a list", { document: "{ x }", variables: [] }, "invalid_request"],
  ])("%s is rejected", async (_, args, code) => {
    expect(toolError((await call("runGraphql", args)).reply)).toMatchObject({ code });
  });

  test("each field of a mutation counts as a request by the key", async () => {
    const { secret } = await mint(gateway, { rateLimitPerMinute: 3 });
    const create = 'createPet(input: { name: "Rex", categoryId: "1" }) { id }';
    const { errors } = await run(
      `mutation { a: ${create} b: ${create} c: ${create} d: ${create} }`,
      {},
      secret,
    );
    expect(errors[0].extensions.code).toBe("rate_limited");
  });
});

function pages(count: number): string {
  return Array.from({ length: count }, (_, i) => `a${i}: messages(first: 100) { nodes { text } }`).join(" ");
}
