import { Client } from "pg";
import { type Order, type PostgresServer, startPostgres } from "../support/postgres-server";
import { endProcesses, secretsIn, startServer, type TestServer } from "../support/process";
import { waitUntil } from "../support/wait-until";

const POOL = 4;

const DATABASE = "away";

/** A request without a response after this time counts as hanging (ms); it should be answered within 5 s. */
const HANGS_MS = 10_000;

interface Sample {
  api: string;
  status: number;
  code: string | undefined;
  retryAfter: string | null;
  pet: string | undefined;
}

const WAYS: { way: string; away: Order; back: Order }[] = [
  { way: "shut down", away: "fast", back: "start" },
  { way: "killed", away: "immediate", back: "start" },
  { way: "frozen", away: "freeze", back: "thaw" },
];

describe("a PostgreSQL server that is unavailable for a while, under load", () => {
  let postgres: PostgresServer;
  let server: TestServer;
  let key: string;
  let samples: Sample[];
  beforeAll(async () => {
    postgres = await startPostgres();
    await sql("postgres", `CREATE DATABASE ${DATABASE}`);
    server = await startServer({
      DATABASE_URL: `${postgres.url}/${DATABASE}`,
      DATABASE_POOL_SIZE: String(POOL),
      LOG_LEVEL: "error",
    });
    key = secretsIn(server.stdout())?.key ?? "";
  });
  afterAll(async () => {
    await endProcesses();
    await postgres.end();
  });

  test.each(WAYS)(
    "$way: both APIs answer 503, and everything works when it is back",
    async ({ away, back }) => {
      const before = server.stderr().length;
      samples = [];
      let running = true;
      const requests = [list, add, query, mutate];
      const clients = Promise.all(
        Array.from({ length: 16 }, async (_, i) => {
          while (running) samples.push(await (requests[i % requests.length] ?? list)());
        }),
      );
      await waitUntil(() => requests.every((_, i) => served(NAMES[i] ?? "")));
      await postgres.order(away);
      samples.length = 0;
      const added: string[] = [];
      await waitUntil(() => {
        return requests.every((_, i) =>
          samples.some(({ api, status }) => api === NAMES[i] && status === 503),
        );
      });
      expect(await health("/readyz")).toBe(503);
      expect(await health("/healthz")).toBe(200);
      await postgres.order(back);
      const from = samples.length;
      await waitUntil(() => NAMES.every((name) => served(name, from)));
      expect(await health("/readyz")).toBe(200);
      running = false;
      await clients;
      for (const { status, code, retryAfter, pet } of samples) {
        expect([200, 201, 503]).toContain(status);
        if (status === 503) expect([code, retryAfter]).toEqual(["unavailable", "1"]);
        if (pet !== undefined) added.push(pet);
      }
      const kept = new Set((await sql(DATABASE, "SELECT id FROM pet")).map(({ id }) => String(id)));
      expect(added.filter((id) => !kept.has(id))).toEqual([]);
      expect(added.length).toBeGreaterThan(0);
      // Two more connections listen for work and events.
      expect(await connections()).toBeLessThanOrEqual(POOL + 2);
      // One or two lines per second, regardless of the load.
      expect(server.stderr().slice(before).split("\n").length).toBeLessThan(100);
      expect(server.stderr()).not.toMatch(/unhandled|uncaught/i);
    },
  );

  const NAMES = ["list", "add", "query", "mutate"];
  const served = (name: string, from = 0) =>
    samples.slice(from).some(({ api, status }) => api === name && status < 300);

  async function ask(api: string, path: string, body?: unknown): Promise<Sample> {
    const response = await fetch(`${server.url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${key}`,
        accept: "application/graphql-response+json, application/json",
        "content-type": "application/json",
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(HANGS_MS),
    });
    const answer = JSON.parse(await response.text());
    return {
      api,
      status: response.status,
      code: answer.code ?? answer.errors?.[0].extensions.code,
      retryAfter: response.headers.get("retry-after"),
      pet: response.ok ? (answer.data?.createPet?.id ?? answer.id)?.toString() : undefined,
    };
  }
  const pet = { name: "Rex", categoryId: 1 };
  const list = () => ask("list", "/v1/pets");
  const add = () => ask("add", "/v1/pets", pet);
  const query = () => ask("query", "/graphql", { query: "{ whoami { agent { id } } }" });
  const mutate = () =>
    ask("mutate", "/graphql", {
      query: "mutation ($input: CreatePetInput!) { createPet(input: $input) { id } }",
      variables: { input: { ...pet, categoryId: "1" } },
    });
  const health = async (path: string) =>
    (await fetch(`${server.url}${path}`, { signal: AbortSignal.timeout(HANGS_MS) })).status;

  async function sql(database: string, statement: string): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: `${postgres.url}/${database}` });
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  }
  /** Counts the connections after the server has ended the ones without a client. */
  async function connections(): Promise<number> {
    const count = async () => {
      const where = `datname = '${DATABASE}' AND application_name = 'gateway'`;
      return (await sql("postgres", `SELECT pid FROM pg_stat_activity WHERE ${where}`)).length;
    };
    for (let looks = 0; looks < 50 && (await count()) > POOL + 1; looks++) await pause();
    return count();
  }
});

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
