import { OperationUse } from "../../src/features/key-usage/operation-use.entity";
import { UsageRecorder } from "../../src/features/key-usage/usage-recorder";
import { purge } from "../../src/housekeeping";
import { commitEvents } from "../support/followers";
import { mint, mintForOrganization, operator, type TestGateway } from "../support/gateway";
import { callTool, rpc } from "../support/mcp";
import { describeGateway } from "../support/suite";
import { FOLLOW, RawSocket } from "../support/web-socket";

const USES = `query ($keyId: ID!, $first: Int! = 100) {
  operationUse(keyId: $keyId, first: $first) { operation ip outcome uses lastUsedAt }
}`;
const DAY_MS = 86_400_000;

interface Use {
  operation: string | null;
  ip: string | null;
  outcome: string | null;
  uses: number;
  lastUsedAt: string;
}

async function usesOf(
  gateway: TestGateway,
  keyId: string,
  variables: { first?: number } = {},
): Promise<Use[]> {
  await gateway.services.usageRecorder.flush({ all: true });
  const { body } = await gateway.graphql(USES, { keyId, ...variables }, { token: gateway.owner });
  expect(body.errors).toBeUndefined();
  return body.data.operationUse;
}

const countsOf = async (gateway: TestGateway, keyId: string) =>
  (await usesOf(gateway, keyId)).map(({ operation, outcome, uses }) => [operation, outcome, uses]);

describeGateway({ engine: "any", env: { TRUST_PROXY: "loopback" } }, (gateway) => {
  type Send = (token: string) => Promise<unknown>;
  const query =
    (text: string, variables = {}): Send =>
    (token) =>
      gateway.graphql(text, variables, { token });
  const twice =
    (send: Send): Send =>
    async (token) => {
      await send(token);
      await send(token);
    };
  const subscribe =
    (text: string): Send =>
    async (token) => {
      const socket = await RawSocket.connected(gateway, token);
      socket.subscribe("1", text);
      await socket.errorOf("1");
      socket.socket.close();
    };

  test.each<[what: string, Send, uses: [operation: string, outcome: string, uses: number][]]>([
    [
      "a REST route, by its pattern",
      async (token) => {
        for (const path of ["pets/1", "pets/2", "pets", "pets?limit=5"])
          await gateway.rest("GET", `/v1/${path}`, { token });
      },
      [
        ["GET /v1/pets", "ok", 2],
        ["GET /v1/pets/{petId}", "not_found", 2],
      ],
    ],
    [
      "a GraphQL document, new and known, by its root fields and not by its name",
      twice(
        query(
          "query mine { ...f b: whoami { key { id } } } fragment f on Query { a: pets { nodes { id } } whoami { key { id } } }",
        ),
      ),
      [["query pets, whoami", "ok", 2]],
    ],
    [
      "a mutation that fails with status 200",
      (token) =>
        gateway.graphql(
          'mutation { createPet(input: { name: "", categoryId: "1" }) { id } }',
          {},
          { token, headers: { accept: "application/json" } },
        ),
      [["mutation createPet", "invalid_request", 1]],
    ],
    ["an invalid document", query("{ nothing }"), [["POST /graphql", "graphql_validation_failed", 1]]],
    [
      "a field without access",
      twice(query("{ auditLog { nodes { id } } }")),
      [["query auditLog", "forbidden", 2]],
    ],
    [
      "an MCP tool",
      async (token) => {
        await callTool(gateway, "getPet", { petId: 1 }, { token });
        await callTool(gateway, "listPets", {}, { token });
      },
      [
        ["tool getPet", "not_found", 1],
        ["tool listPets", "ok", 1],
      ],
    ],
    [
      "a document in an MCP tool, and other messages",
      async (token) => {
        await callTool(gateway, "runGraphql", { document: "{ pets { nodes { id } } }" }, { token });
        await rpc(gateway, "tools/list", {}, { token });
        await callTool(gateway, "chosen by the client", {}, { token });
      },
      [
        ["POST /mcp", "invalid_request", 1],
        ["POST /mcp", "ok", 1],
        ["tool runGraphql", "ok", 1],
      ],
    ],
    [
      "a subscription that may not be opened",
      subscribe('subscription { events(after: "nonsense") { id } }'),
      [
        ["GET /graphql", "ok", 1],
        ["subscription events", "invalid_cursor", 1],
      ],
    ],
    [
      "an invalid subscription",
      subscribe("subscription { nothing }"),
      [
        ["GET /graphql", "graphql_validation_failed", 1],
        ["GET /graphql", "ok", 1],
      ],
    ],
  ])("the uses of a key show its operations and their outcomes: %s", async (_, send, expected) => {
    const { id, secret } = await mint(gateway);
    await send(secret);
    expect((await countsOf(gateway, id)).sort()).toEqual(expected);
  });

  test("an open subscription shows up as a use, with the address of the connection", async () => {
    const { id, secret } = await mint(gateway);
    const socket = await RawSocket.connected(gateway, secret);
    await commitEvents(gateway, (await gateway.services.agents.bySlug("first-agent")).id);
    socket.subscribe("1", FOLLOW, { after: "0" });
    await socket.until(() => socket.eventsOf("1").length > 0);
    socket.socket.close();
    expect(await usesOf(gateway, id)).toContainEqual(
      expect.objectContaining({ operation: "subscription events", ip: "127.0.0.1", outcome: "ok", uses: 1 }),
    );
  });

  test("a rejected key is not shown, but a request over the key's limit is", async () => {
    const { id, secret } = await mint(gateway, { rateLimitPerMinute: 1 });
    for (const _ of [1, 2, 3]) await gateway.rest("GET", "/v1/pets", { token: secret });
    await gateway.services.keys.revoke(await operator(gateway), id);
    expect((await gateway.rest("GET", "/v1/pets", { token: secret })).status).toBe(403);
    expect((await countsOf(gateway, id)).sort()).toEqual([
      ["GET /v1/pets", "ok", 1],
      ["GET /v1/pets", "rate_limited", 2],
    ]);
  });

  test("organization keys' operations are shown as well", async () => {
    const { id, secret } = await mintForOrganization(gateway);
    await gateway.rest("GET", "/organization/agents", { token: secret });
    expect(await countsOf(gateway, id)).toEqual([["GET /organization/agents", "ok", 1]]);
    expect(await usesOf(gateway, "nonsense")).toEqual([]);
  });
});

describeGateway({ env: { TRUST_PROXY: "loopback" } }, (gateway) => {
  afterEach(() => jest.restoreAllMocks());

  const GET_PETS = "GET /v1/pets";
  /** Counts uses at a given time and writes them, as a server process would. */
  async function record(keyId: string, time: number, uses: [operation: string, ip: string | null][]) {
    const process = new UsageRecorder(gateway.services.database, () => undefined);
    jest.spyOn(Date, "now").mockReturnValue(time);
    for (const [operation, ip] of uses) process.ended(keyId, operation, { ip }, "ok");
    await process.flush({ all: true });
    jest.restoreAllMocks();
  }

  test("the uses recorded by several processes on several days add up, most recent first", async () => {
    const { id, secret } = await mint(gateway);
    const now = Date.now();
    const from = (ip: string) => ({ token: secret, headers: { "x-forwarded-for": ip } });
    await record(id, now - 3 * DAY_MS, [
      [GET_PETS, "2001:db8::1"],
      [GET_PETS, "10.0.0.1"],
      [GET_PETS, null],
    ]);
    await record(id, now - DAY_MS, [["query pets", "10.0.0.1"]]);
    await record(id, now - 40 * DAY_MS, [["query whoami", "10.0.0.1"]]);
    await gateway.rest("GET", "/v1/pets", from("10.0.0.1"));
    await usesOf(gateway, id);
    await gateway.rest("GET", "/v1/pets", from("10.0.0.1"));
    const uses = await usesOf(gateway, id);
    const ago = (days: number) => new Date(now - days * DAY_MS).toISOString();
    const use = (operation: string, ip: string | null, uses: number, lastUsedAt: unknown) => ({
      operation,
      ip,
      outcome: "ok",
      uses,
      lastUsedAt,
    });
    expect(uses).toEqual([
      use(GET_PETS, "10.0.0.1", 3, expect.any(String)),
      use("query pets", "10.0.0.1", 1, ago(1)),
      use(GET_PETS, null, 1, ago(3)),
      use(GET_PETS, "2001:db8::1", 1, ago(3)),
    ]);
    expect(Date.parse(uses[0]?.lastUsedAt ?? "")).toBeGreaterThanOrEqual(now);
    expect(await usesOf(gateway, id, { first: 1 })).toEqual(uses.slice(0, 1));
  });

  test("a key has few combinations per day, in memory and in the database, and no request is lost", async () => {
    const { id } = await mint(gateway);
    const now = Date.now();
    const many = (first: number, count: number) =>
      Array.from({ length: count }, (_, i): [string, string] => [
        GET_PETS,
        `10.0.${(first + i) >> 8}.${(first + i) & 255}`,
      ]);
    for (let first = 0; first < 300; first += 60) await record(id, now, many(first, 60));
    await record(id, now, [...many(0, 2), ...many(999, 1)]);
    const rows = await gateway.services.database.read((reader) => reader.findBy(OperationUse, { keyId: id }));
    expect(rows).toHaveLength(51);
    const uses = await usesOf(gateway, id);
    const others = { operation: null, ip: null, outcome: null, uses: 251, lastUsedAt: expect.any(String) };
    expect(uses).toContainEqual(others);
    expect(uses).toContainEqual(expect.objectContaining({ operation: GET_PETS, ip: "10.0.0.1", uses: 2 }));
    expect(uses.reduce((sum, use) => sum + use.uses, 0)).toBe(303);
    // The next day has room for others.
    await record(id, now - DAY_MS, many(999, 1));
    expect(await usesOf(gateway, id)).toContainEqual(expect.objectContaining({ ip: "10.0.3.231", uses: 1 }));
  });

  test("uses are deleted after 31 days", async () => {
    const { id } = await mint(gateway);
    const now = Date.now();
    for (const days of [0, 30, 32]) await record(id, now - days * DAY_MS, [[GET_PETS, "10.0.0.1"]]);
    const { database } = gateway.services;
    const rows = () => database.read((reader) => reader.countBy(OperationUse, { keyId: id }));
    expect(await rows()).toBe(3);
    await purge(database);
    expect(await rows()).toBe(2);
  });
});
