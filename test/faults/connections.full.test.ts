import { Client } from "pg";
import { postgres, type TestDatabase } from "../support/engines";
import { type Reply, startGateway, type TestGateway } from "../support/gateway";
import { withShortTimeouts } from "../support/patient-database";
import { type FaultyWay, startProxy } from "../support/proxy";

/** Takes the lock for adding pets. */
const PETS_LOCK = "SELECT pg_advisory_lock(723641, 1)";

/** ReadyForQuery, outside a transaction (PostgreSQL manual, 54.7). */
const READY = Buffer.from("Z\0\0\0\x05I", "latin1");

const POOL_SIZE = 5;

/** Encodes an ErrorResponse. */
function lastWord(fields: Record<string, string>): Buffer {
  const body = `${Object.entries(fields)
    .map(([name, value]) => `${name}${value}\0`)
    .join("")}\0`;
  const head = Buffer.alloc(5, "E");
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, Buffer.from(body, "latin1")]);
}

describe("connections to PostgreSQL that go bad", () => {
  withShortTimeouts(2);
  let database: TestDatabase;
  let proxy: FaultyWay;
  let gateway: TestGateway;
  beforeEach(async () => {
    database = await postgres.createMigratedDatabase();
    proxy = await startProxy(database.url);
    const url = new URL(database.url);
    url.port = String(proxy.port);
    gateway = await startGateway(postgres, {
      database: { ...database, url: url.href },
      env: { DATABASE_POOL_SIZE: String(POOL_SIZE) },
    });
  });
  afterEach(async () => {
    proxy.heal();
    await gateway.close();
    await proxy.close();
    await database.drop();
  });

  const list = () => gateway.rest("GET", "/v1/pets");
  const add = (name: string, headers = {}) =>
    gateway.rest("POST", "/v1/pets", { headers, body: { name, categoryId: 1 } });
  const names = async () => (await list()).body.map(({ name }: { name: string }) => name);
  const unavailable = (reply: Reply) => {
    expect([reply.status, reply.body.code]).toEqual([503, "unavailable"]);
    expect(reply.headers.get("retry-after")).toMatch(/^\d+$/);
  };

  test("a silent connection fails only the requests that use it, with 503", async () => {
    await list();
    proxy.silenceOpen();
    let isTold = false;
    const stuck = list().finally(() => {
      isTold = true;
    });
    let isServed = false;
    const others: Promise<Reply>[] = [];
    while (!isServed && !isTold) {
      const other = list();
      others.push(other);
      void other.then(({ status }) => {
        isServed ||= status === 200;
      });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect([isServed, isTold]).toEqual([true, false]);
    unavailable(await stuck);
    for (const reply of await Promise.all(others)) if (reply.status !== 200) unavailable(reply);
    expect((await list()).status).toBe(200);
  });

  test("if all connections are silent, including new ones, each request is answered 503, even if it queues behind another", async () => {
    await list();
    proxy.silence();
    const replies = [];
    for (let i = 0; i < 5; i++) {
      replies.push(list(), add(`in vain ${i}`));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const ready = await gateway.rest("GET", "/readyz");
    expect([ready.status, (await gateway.rest("GET", "/healthz")).status]).toEqual([503, 200]);
    for (const reply of await Promise.all(replies)) unavailable(reply);
    proxy.heal();
    expect((await list()).status).toBe(200);
    expect((await add("Rex")).status).toBe(201);
    expect(proxy.count()).toBeLessThanOrEqual(5);
  });

  test("if a connection has died unnoticed, a read is retried and a write is not", async () => {
    await Promise.all([list(), gateway.graphql("{ viewer { id } }", {}, { token: gateway.owner })]);
    expect(proxy.count()).toBeGreaterThan(1);
    proxy.breakOpen();
    expect((await list()).status).toBe(200);
    proxy.breakOpen();
    const { database: own } = gateway.services;
    const tries: number[] = [];
    const write = own.write(async (tx) => {
      tries.push(1);
      await tx.query("SELECT 1");
    });
    await expect(write).rejects.toMatchObject({ code: "unavailable" });
    expect(tries.length).toBeLessThanOrEqual(1);
    expect((await add("Rex")).status).toBe(201);
    expect(await names()).toEqual(["Rex"]);
  });

  test("if connections are cut during reads and writes, the process keeps running and reads are retried", async () => {
    await list();
    proxy.silence();
    const reads = Array.from({ length: 4 }, list);
    const writes = Array.from({ length: 4 }, (_, i) => add(`cut ${i}`, { "idempotency-key": `cut ${i}` }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    proxy.heal();
    proxy.cut();
    for (const { status } of await Promise.all(reads)) expect(status).toBe(200);
    for (const reply of await Promise.all(writes)) if (reply.status !== 201) unavailable(reply);
    expect((await list()).status).toBe(200);
  });

  test("while PostgreSQL rejects connections, requests are answered 503 after a few attempts to connect", async () => {
    await list();
    proxy.reject();
    const before = proxy.attempts();
    unavailable(await list());
    unavailable(await add("in vain"));
    // The gateway's background work also connects; with retries, the read alone would make hundreds of attempts.
    expect(proxy.attempts() - before).toBeLessThan(60);
    proxy.heal();
    expect((await list()).status).toBe(200);
  });

  test("a read whose connections keep breaking is retried at most once per connection of the pool", async () => {
    let tries = 0;
    const read = gateway.services.database.read(async (reader) => {
      tries++;
      proxy.cut();
      return reader.query("SELECT 1");
    });
    await expect(read).rejects.toMatchObject({ code: "unavailable" });
    expect(tries).toBeGreaterThan(1);
    expect(tries).toBeLessThanOrEqual(POOL_SIZE + 1);
    expect((await list()).status).toBe(200);
  });

  test("if connections end the moment they become ready, the process keeps running", async () => {
    await list();
    proxy.cut();
    proxy.endAfter(READY, lastWord({ S: "FATAL", V: "FATAL", C: "57P01", M: "terminating connection" }));
    const replies = await Promise.all([list(), add("in vain"), list(), add("in vain too")]);
    for (const reply of replies) unavailable(reply);
    proxy.heal();
    expect((await list()).status).toBe(200);
    expect((await add("Rex")).status).toBe(201);
    expect(await names()).toEqual(["Rex"]);
  });

  test("if waiting transactions hold all connections for transactions, reads continue and other writes are answered 503", async () => {
    const holder = new Client({ connectionString: database.url });
    await holder.connect();
    try {
      await holder.query(PETS_LOCK);
      const writes = Array.from({ length: 12 }, (_, i) =>
        add(`waits ${i}`, { "idempotency-key": `waits ${i}` }),
      );
      let ended = 0;
      for (const each of writes) void each.then(() => ended++);
      for (let i = 0; i < 20; i++) expect((await list()).status).toBe(200);
      expect(ended).toBe(0);
      for (const reply of await Promise.all(writes)) unavailable(reply);
    } finally {
      await holder.end();
    }
    expect((await add("Rex")).status).toBe(201);
    expect(await names()).toEqual(["Rex"]);
  });
});
