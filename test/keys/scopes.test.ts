import { SCOPES, type Scope } from "../../src/auth/permissions";
import { mint } from "../support/gateway";
import { apiKeyClient, outcomeOf } from "../support/keys";
import { codeOf } from "../support/people";
import { runCli, runCliForJson } from "../support/process";
import { describeGateway } from "../support/suite";

/** Returns the names of scopes in GraphQL. */
const named = (...scopes: Scope[]) => scopes.map((scope) => scope.replace(":", "_"));

/** The operations that need a scope, at both APIs. */
const OPERATIONS = [
  {
    scope: "pets:read",
    document: "{ pets { nodes { id } } }",
    rest: ["GET", "/v1/pets"],
  },
  {
    scope: "pets:read",
    document: '{ pet(id: "1") { id } }',
    rest: ["GET", "/v1/pets/1"],
  },
  {
    scope: "pets:write",
    document: 'mutation { createPet(input: { name: "Rex", categoryId: "1" }) { id } }',
    rest: ["POST", "/v1/pets", { name: "Rex", categoryId: 1 }],
  },
  {
    scope: "messages:write",
    document: 'mutation { sendMessage(input: { text: "hello" }) { id } }',
    rest: ["POST", "/messages", { message: "hello" }],
  },
] as const;

describeGateway({ engine: "one" }, (gateway) => {
  const client = apiKeyClient(gateway);
  const create = async (input: Record<string, unknown>) =>
    (await client.create(input)).body.data.createApiKey;
  const whoami = async (token: string) =>
    (await gateway.graphql("{ whoami { key { scopes } } }", {}, { token })).body.data.whoami.key.scopes;

  beforeAll(() => gateway.rest("POST", "/v1/pets", { body: { name: "Rex", categoryId: 1 } }));

  test.each(OPERATIONS)("$rest.0 $rest.1 needs $scope at both APIs", async ({ scope, document, rest }) => {
    const [method, path, body] = rest;
    const able = await mint(gateway, { scopes: [scope] });
    const unable = await mint(gateway, { scopes: SCOPES.filter((each) => each !== scope) });
    const call = ({ secret: token }: { secret: string }) =>
      Promise.all([gateway.rest(method, path, { token, body }), gateway.graphql(document, {}, { token })]);
    expect((await call(able)).map(codeOf)).toEqual([undefined, undefined]);
    for (const reply of await call(unable)) {
      expect({ code: codeOf(reply), status: reply.status }).toEqual({
        code: "insufficient_scope",
        status: 403,
      });
      expect(reply.headers.get("www-authenticate")).toBe(
        `Bearer error="insufficient_scope", scope="${scope}"`,
      );
      expect(reply.text).toContain(scope);
    }
  });

  test("scopes are chosen when a key is minted, and shown by lists and by the key itself", async () => {
    const scopes = named("messages:write", "pets:read", "messages:write");
    const shown = named("pets:read", "messages:write");
    const { apiKey, secret } = await create({ name: "two scopes", scopes });
    expect(apiKey.scopes).toEqual(shown);
    expect((await client.find(apiKey.id)).body.data.apiKey.scopes).toEqual(shown);
    const { nodes } = (await client.list({ first: 1 })).body.data.apiKeys;
    expect(nodes).toMatchObject([{ id: apiKey.id, scopes: shown }]);
    expect(await whoami(secret)).toEqual(shown);
    expect(await outcomeOf(gateway, secret)).toBe("accepted");
  });

  test.each([[undefined], [null]])("a key minted with scopes %p has all of them", async (scopes) => {
    const { apiKey, secret } = await create({ name: `all, by ${scopes}`, scopes });
    expect(apiKey.scopes).toBeNull();
    expect(await whoami(secret)).toEqual(named(...SCOPES));
  });

  test("a key without any scope is not minted", async () => {
    const reply = await client.create({ name: "nothing", scopes: [] });
    expect({ code: codeOf(reply), status: reply.status }).toEqual({ code: "invalid_request", status: 400 });
    expect(reply.text).toContain("scopes must contain at least one scope");
  });

  test("rotating a key keeps its scopes", async () => {
    const { apiKey } = await create({ name: "to rotate", scopes: named("events:read") });
    for (const graceSeconds of [60, 0]) {
      const minted = await create({ name: `to rotate ${graceSeconds}`, scopes: named("events:read") });
      const { rotateApiKey } = (await client.rotate(minted.apiKey.id, graceSeconds)).body.data;
      expect(rotateApiKey.apiKey.scopes).toEqual(apiKey.scopes);
      expect(await whoami(rotateApiKey.secret)).toEqual(apiKey.scopes);
    }
  });

  test("a repeat with other scopes is another request", async () => {
    const input = { name: "minted once", idempotencyKey: "scopes" };
    await create({ ...input, scopes: named("pets:read", "pets:write") });
    const again = await create({ ...input, scopes: named("pets:write", "pets:read") });
    expect(await whoami(again.secret)).toEqual(named("pets:read", "pets:write"));
    for (const scopes of [named("pets:read"), undefined]) {
      expect(codeOf(await client.create({ ...input, scopes }))).toBe("idempotency_key_reused");
    }
  });

  test("the command line mints keys with scopes, and rejects scopes that do not exist", async () => {
    const cli = (...args: string[]) => ["keys", "create", "--agent", "first-agent", "--name", ...args];
    const key = await runCliForJson(
      gateway.databaseUrl,
      ...cli("by hand", "--scopes", "pets:write,pets:read"),
    );
    expect(key.scopes).toEqual(["pets:read", "pets:write"]);
    expect(await whoami(key.secret)).toEqual(named("pets:read", "pets:write"));
    const listed = await runCliForJson(gateway.databaseUrl, "keys", "list");
    expect(listed.find(({ id }: { id: string }) => id === key.id).scopes).toEqual(key.scopes);
    const { stdout } = await runCli(gateway.databaseUrl, ["keys", "list"]);
    expect(stdout).toMatch(/by hand .* pets:read, pets:write +\(any\) +\S+\n/);
    expect(stdout).toMatch(/First key .* \(all\) +\(any\) +\S+\n/);
    for (const scopes of ["pets:eat", ""]) {
      const rejected = await runCli(gateway.databaseUrl, cli("unknown", "--scopes", scopes));
      expect(rejected).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringMatching(/^gateway: .*--scopes /),
      });
    }
  });
});
