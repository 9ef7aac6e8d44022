import type { EntityManager } from "typeorm";
import { SERVING } from "../../src/database/limits";
import { PostgresConnections } from "../../src/database/postgres/postgres-connections";
import { createDataSource } from "../../src/features";
import { closedAfterEach } from "../support/closing";
import { administer, postgres } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";
import { slowTest } from "../support/slow-test";
import { waitUntil, withResolver } from "../support/wait-until";

const keep = closedAfterEach();

const POOL = 5;

const PID = "SELECT pg_backend_pid() AS pid";

test("connections opened since the last replacement are replaced as well, however recent it is", async () => {
  const testDatabase = await keep(postgres.createDatabase());
  const connections = await keep(PostgresConnections.open(createDataSource(testDatabase.url, 1), SERVING));
  const pid = () => connections.forQuery(async (client) => (await client.query(PID)).rows[0].pid);
  const pids = [await pid()];
  for (const _ of [1, 2]) {
    connections.replaceAll();
    // Keeps the connection in use, so that the pool does not close it as idle.
    await waitUntil(async () => (await pid()) !== pids.at(-1));
    pids.push(await pid());
  }
  expect(new Set(pids).size).toBe(3);
});

describe("a PostgreSQL server that becomes read-only, as in a failover or switchover", () => {
  let gateway: TestGateway;
  let name: string;
  beforeEach(async () => {
    const env = { DATABASE_POOL_SIZE: String(POOL), DELIVERY_WORKERS: "1" };
    gateway = await startGateway(postgres, { env });
    name = new URL(gateway.databaseUrl).pathname.slice(1);
  });
  afterEach(() => gateway.close());

  const list = () => gateway.rest("GET", "/v1/pets");
  const add = () => gateway.rest("POST", "/v1/pets", { body: { name: "Rex", categoryId: 1 } });
  const writes = async () => (await gateway.rest("GET", "/readyz")).body.writes;
  const read = (statement: string, parameters: unknown[] = []) => gateway.rows.query(statement, parameters);
  const connections = async (lastQuery = "%"): Promise<number[]> =>
    (
      await read(
        `SELECT pid FROM pg_stat_activity WHERE datname = '${name}' AND application_name = 'gateway' AND query LIKE $1`,
        [lastQuery],
      )
    ).map(({ pid }: { pid: number }) => pid);

  const allGone = (pids: readonly number[]) =>
    waitUntil(async () => {
      const open = new Set(await connections());
      return pids.every((pid) => !open.has(pid));
    });

  /** Makes the pooled sessions read-only, like sessions to a replaced server; new ones can write. */
  async function makeOpenSessionsReadOnly(): Promise<void> {
    let opened = 0;
    const { promise: allOpen, resolve: proceed } = withResolver();
    const session = async (reader: EntityManager) => {
      await reader.query("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY");
      opened++;
      if (opened === POOL) proceed();
      await allOpen;
    };
    await Promise.all(Array.from({ length: POOL }, () => gateway.services.database.read(session)));
  }

  // Connections are replaced at most once per second, and a write by the gateway itself may have just caused that.
  const writesAgain = () => waitUntil(async () => (await add()).status === 201);

  test("loses all its connections at the failing write, and soon accepts writes again", async () => {
    await waitUntil(async () => (await connections("LISTEN%")).length === 2);
    let before: number[] = [];
    // The failing write may be one of the gateway's own, such as housekeeping after startup.
    await waitUntil(async () => {
      await makeOpenSessionsReadOnly();
      before = await connections();
      const { status, body } = await add();
      return status === 503 && body.code === "unavailable";
    });
    expect((await list()).status).toBe(200);
    await writesAgain();
    await allGone(before);
  });

  test("is reported by /readyz before any write fails, and its connections are replaced", async () => {
    expect(await writes()).toBe("ok");
    // The pooled sessions may have just been replaced.
    await waitUntil(async () => {
      await makeOpenSessionsReadOnly();
      return (await writes()) === "unavailable";
    });
    await writesAgain();
    expect(await writes()).toBe("ok");
  });

  slowTest(
    "accepts writes again without a restart, even if every new connection was read-only for a while",
    async () => {
      await administer(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      await makeOpenSessionsReadOnly();
      for (let i = 0; i < 2 * POOL; i++) expect((await add()).status).toBe(503);
      expect((await list()).status).toBe(200);
      expect(await writes()).toBe("unavailable");
      await makeOpenSessionsReadOnly();
      await waitUntil(async () => (await connections("LISTEN%")).length === 2);
      const before = await connections();
      await administer(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
      const statuses: number[] = [];
      while (statuses.at(-1) !== 201) statuses.push((await add()).status);
      // Each failure closes at least one connection.
      expect(statuses.length).toBeLessThanOrEqual(POOL + 1);
      await allGone(before);
      expect(await writes()).toBe("ok");
    },
  );
});
