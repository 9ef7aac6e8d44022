import { DeprecatedUse } from "../../src/features/key-usage/deprecated-use.entity";
import { UsageRecorder } from "../../src/features/key-usage/usage-recorder";
import { purge } from "../../src/housekeeping";
import { onAnyEngine, type TestDatabase } from "../support/engines";
import { mint, startGateway, type TestGateway } from "../support/gateway";
import { expire } from "../support/keys";
import { callTool } from "../support/mcp";
import { scrape } from "../support/metrics";
import { addOrganization } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

const USES = `query ($first: Int! = 100, $keyId: ID, $state: ApiKeyState) {
  deprecatedUse(first: $first, keyId: $keyId, state: $state) {
    nodes { apiKey { id } name uses lastUsedAt removalAt } totalCount keyCount
  }
}`;
const ROUTE = "GET /v1/pets/{petId}";
const DAY_MS = 86_400_000;

interface Use {
  apiKey: { id: string };
  name: string;
  uses: number;
  lastUsedAt: string;
  removalAt: string;
}

const report = async (gateway: TestGateway, variables: object = {}, token = gateway.owner) => {
  await gateway.services.usageRecorder.flush({ all: true });
  const { body } = await gateway.graphql(USES, { ...variables }, { token });
  expect(body.errors).toBeUndefined();
  return body.data.deprecatedUse;
};
const uses = async (...args: Parameters<typeof report>): Promise<Use[]> => (await report(...args)).nodes;
const countsOf = async (gateway: TestGateway, keyId: string) =>
  Object.fromEntries((await uses(gateway, { keyId })).map((use) => [use.name, use.uses]));

describeGateway({ engine: "any" }, (gateway) => {
  afterEach(() => jest.restoreAllMocks());

  type Send = (token: string) => Promise<unknown>;
  const query =
    (text: string, times = 1): Send =>
    async (token) => {
      for (let i = 0; i < times; i++) await gateway.graphql(text, {}, { token });
    };
  test.each<[what: string, Send, counts: Record<string, number>]>([
    ["a field", query('{ pet(id: "1") { id } }'), { "Query.pet": 1 }],
    [
      "a field with aliases, twice in one document",
      query('{ one: pet(id: "1") { id } two: pet(id: "2") { id } }'),
      { "Query.pet": 1 },
    ],
    [
      "a field in a fragment",
      query('{ ...f ... { ...f } } fragment f on Query { any: pet(id: "3") { id } }'),
      { "Query.pet": 1 },
    ],
    [
      "a document that is known from its second use on",
      query('{ pet(id: "4") { id } }', 4),
      { "Query.pet": 4 },
    ],
    [
      "a known document that fails",
      async (token) => {
        const text = 'query ($n: Int) { pet(id: "5") { id } pets(first: $n) { nodes { id } } }';
        for (const n of [1, 1, 0]) await gateway.graphql(text, { n }, { token });
      },
      { "Query.pet": 3 },
    ],
    [
      "an operation with a field that the key may not read",
      query('{ pet(id: "6") { id } agents { id } }', 2),
      { "Query.pet": 2 },
    ],
    ["an invalid document", query('{ pet(id: "7") { nothing } }'), {}],
    ["other fields", query("{ pets(first: 1) { nodes { id } } }", 3), {}],
    ["a REST route", (token) => gateway.rest("GET", "/v1/pets/1", { token }), { [ROUTE]: 1 }],
    ["other REST routes", (token) => gateway.rest("GET", "/v1/pets", { token }), {}],
    ["an MCP tool", (token) => callTool(gateway, "getPet", { petId: 1 }, { token }), { [ROUTE]: 1 }],
    [
      "a document in an MCP tool",
      (token) => callTool(gateway, "runGraphql", { document: '{ pet(id: "1") { id } }' }, { token }),
      { "Query.pet": 1 },
    ],
  ])("uses of deprecated parts are counted by key: %s", async (_, send, counts) => {
    const { id, secret } = await mint(gateway);
    await send(secret);
    expect(await countsOf(gateway, id)).toEqual(counts);
  });

  test("only the executed operation of a document with several is counted", async () => {
    const { id, secret } = await mint(gateway);
    const text = 'query old { pet(id: "1") { id } } query new { pets(first: 1) { nodes { id } } }';
    for (const operationName of ["new", "new", "old", "old", "new"])
      await gateway.rest("POST", "/graphql", { token: secret, body: { query: text, operationName } });
    expect(await countsOf(gateway, id)).toEqual({ "Query.pet": 2 });
  });

  test("a key that may not call a deprecated route or field does not use it, and neither do members", async () => {
    const { id, secret } = await mint(gateway, { scopes: ["agent:read"] });
    expect((await gateway.rest("GET", "/v1/pets/1", { token: secret })).status).toBe(403);
    for (const _ of [1, 2]) await gateway.graphql('{ pet(id: "9") { id } }', {}, { token: secret });
    const before = await uses(gateway);
    await gateway.graphql('{ pet(id: "1") { id } }', {}, { token: gateway.owner });
    expect(await countsOf(gateway, id)).toEqual({});
    expect(await uses(gateway)).toEqual(before);
  });

  test("managers see the uses of their own keys, most recently used first, with the removal date", async () => {
    const { manager } = await addOrganization(gateway, "late");
    const [first, second] = [
      await mint(gateway, { agent: "late-agent" }),
      await mint(gateway, { agent: "late-agent" }),
    ];
    const at = (time: number) => jest.spyOn(Date, "now").mockReturnValue(time);
    const now = Date.now();
    const record = async (id: string, time: number, name: string, times = 1) => {
      const process = new UsageRecorder(gateway.services.database, () => undefined);
      at(time);
      for (let i = 0; i < times; i++) process.deprecated(id, [name]);
      await process.flush({ all: true });
      jest.restoreAllMocks();
    };
    await record(first.id, now - 5_000, ROUTE, 2);
    await record(first.id, now - 3 * DAY_MS, ROUTE, 4);
    await record(first.id, now - 40 * DAY_MS, "Query.pet");
    await record(second.id, now - DAY_MS, "Query.pet");
    await record(second.id, now, "Query.removed");
    const list = await uses(gateway, {}, manager.token);
    const use = (id: string, name: string, count: number, time: number) => ({
      apiKey: { id },
      name,
      uses: count,
      lastUsedAt: new Date(time).toISOString(),
      removalAt: "2030-12-05T00:00:00.000Z",
    });
    expect(list).toEqual([
      use(first.id, ROUTE, 6, now - 5_000),
      use(second.id, "Query.pet", 1, now - DAY_MS),
    ]);
    expect(await uses(gateway, { first: 1, keyId: second.id }, manager.token)).toEqual(list.slice(1));
    const one = await report(gateway, { first: 1 }, manager.token);
    expect(one).toEqual({ nodes: list.slice(0, 1), totalCount: 2, keyCount: 2 });
    await expire(gateway, first.id);
    const active = await report(gateway, { state: "active" }, manager.token);
    expect(active).toEqual({ nodes: list.slice(1), totalCount: 1, keyCount: 1 });
    expect(await uses(gateway, { state: "expired" }, manager.token)).toEqual(list.slice(0, 1));
    expect(await uses(gateway, { keyId: first.id })).toEqual([]);
    expect(await uses(gateway, { keyId: "nonsense" })).toEqual([]);
    expect((await uses(gateway)).map(({ apiKey }) => apiKey.id)).not.toContain(second.id);
    const { database } = gateway.services;
    const rows = () => database.read((reader) => reader.countBy(DeprecatedUse, { keyId: first.id }));
    expect(await rows()).toBe(3);
    await purge(database);
    expect(await rows()).toBe(2);
  });
});

onAnyEngine((engine) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await engine.createMigratedDatabase();
  });
  afterAll(() => database.drop());

  slowTest("counts survive a restart, and the metric starts at zero for each name", async () => {
    const before = await startGateway(engine, { database });
    const { key } = before;
    const shown = async (gateway: TestGateway) => {
      const { total } = await scrape(gateway);
      return ["Query.pet", ROUTE].map((name) => total("gateway_deprecated_uses_total", { name }));
    };
    const { text } = await scrape(before);
    for (const name of ["Query.pet", ROUTE])
      expect(text).toContain(`gateway_deprecated_uses_total{name="${name}"} 0`);
    for (let i = 0; i < 2; i++) await before.rest("GET", "/v1/pets/1", { token: key });
    expect(await shown(before)).toEqual([0, 2]);
    await before.close();

    const after = await startGateway(engine, { database });
    try {
      expect((await uses(after)).map((use) => [use.name, use.uses])).toEqual([[ROUTE, 2]]);
      await after.rest("GET", "/v1/pets/1", { token: key });
      expect((await uses(after)).map((use) => [use.name, use.uses])).toEqual([[ROUTE, 3]]);
    } finally {
      await after.close();
    }
  });
});
