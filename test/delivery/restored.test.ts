import { randomUUID } from "node:crypto";
import { auditLog } from "../support/audit";
import { administer, postgres, type TestDatabase } from "../support/engines";
import { INSTANCE_KEY, startGateway, type TestGateway } from "../support/gateway";
import { lineClient } from "../support/lines";
import { scrape } from "../support/metrics";
import { firstAgentId } from "../support/people";
import { endProcesses, runCli, startServer } from "../support/process";
import { Receiver } from "../support/receiver";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";
import { addEndpoint, addEvents, webhookClient } from "../support/webhooks";

const DELIVERS = { DELIVERY_WORKERS: "4", ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" };

const send = async (gateway: TestGateway, message: string): Promise<string> =>
  (await gateway.rest("POST", "/messages", { body: { message } })).body.id;
const statusOf = async (gateway: TestGateway, id: string) =>
  (await gateway.rest("GET", `/messages/${id}`)).body.status;
const delivered = (gateway: TestGateway, id: string) =>
  waitUntil(async () => (await statusOf(gateway, id)) === "delivered");
const readiness = async (gateway: TestGateway) => (await gateway.rest("GET", "/readyz")).body;
const sql = (gateway: TestGateway, statement: string) => gateway.rows.execute(statement);
const stateOf = async (gateway: TestGateway) => {
  const [line] = await sql(gateway, "SELECT id, state, paused_reason FROM line");
  return line;
};
/** Waits until a deliverer has found all queued work and held it back. */
const allHeld = (gateway: TestGateway) =>
  waitUntil(async () => {
    const { due, leased } = await gateway.services.lanes.counts();
    return due === 0 && leased === 0;
  });
/** Returns the statement that changes a part of the stored identity, so that it differs as in a restored copy. */
const differing = (part: string) =>
  `UPDATE known_database SET identity = jsonb_set(identity::jsonb, '{${part}}', '"1"')::text`;
const change = (gateway: TestGateway, part: string) => sql(gateway, differing(part));

describe("a PostgreSQL database", () => {
  let testDatabase: TestDatabase;
  let running: TestGateway[];
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await Receiver.start();
    testDatabase = await postgres.createMigratedDatabase();
    running = [];
  });
  afterEach(async () => {
    await receiver.close();
    for (const gateway of running) await gateway.close();
    await testDatabase.drop();
  });
  const start = async (env: Record<string, string> = DELIVERS, url = testDatabase.url) => {
    const gateway = await startGateway(postgres, { env, database: { ...testDatabase, url } });
    running.push(gateway);
    return gateway;
  };
  const stop = async (gateway: TestGateway) => {
    running = running.filter((each) => each !== gateway);
    await gateway.close();
  };

  test("that was restored sends no earlier queued messages until its lines are resumed", async () => {
    const first = await start();
    receiver.reaction = (response) => response.writeHead(500).end();
    const agentId = await firstAgentId(first);
    const endpoint = await addEndpoint(first, { agentId, url: receiver.url() });
    await addEvents(first, agentId, [randomUUID()]);
    await waitUntil(() => receiver.received.length === 1);
    const { key } = first;
    await stop(first);
    const idle = await start({});
    idle.key = key;
    const old = await send(idle, "queued");
    const [{ last }] = await sql(idle, "SELECT last FROM agent_stream");
    await sql(idle, "UPDATE webhook_delivery SET not_before = NULL");
    await sql(idle, "UPDATE lane SET wake_at = '2000-01-01T00:00:00.000Z'");
    await change(idle, "database");
    await stop(idle);

    const gateway = await start();
    gateway.key = key;
    const restoredAt = expect.stringMatching(/^\d{4}-/);
    expect(await readiness(gateway)).toEqual({ status: "ok", writes: "ok", restoredAt });
    expect((await scrape(gateway)).total("gateway_database_restored_timestamp_seconds")).toBeGreaterThan(1e9);
    expect(gateway.log()).toContain("the database was restored from a backup");
    const [entry] = await auditLog(gateway, { action: "database_restored" });
    expect(entry).toMatchObject({ actorKind: "system", targetName: "First organization", changes: [] });
    const [moved] = await sql(gateway, "SELECT last FROM agent_stream");
    expect(BigInt(moved.last) - BigInt(last)).toBeGreaterThanOrEqual(1_000_000_000n);
    await allHeld(gateway);
    expect(await statusOf(gateway, old)).toBe("queued");
    const api = webhookClient(gateway);
    expect((await api.find(endpoint.id)).body.data.webhookEndpoint).toMatchObject({
      state: "disabled",
      disabledReason: "restored",
      updatedAt: (await readiness(gateway)).restoredAt,
    });
    const { nodes } = (await api.deliveries(endpoint.id)).body.data.webhookDeliveries;
    expect(nodes).toMatchObject([{ state: "canceled" }]);
    expect(receiver.received).toHaveLength(1);

    const { id } = await stateOf(gateway);
    await lineClient(gateway).resume(id);
    await delivered(gateway, old);
  });

  test("that is restored in place is recognized even if nothing is due", async () => {
    const gateway = await start();
    await allHeld(gateway);
    await change(gateway, "table");
    gateway.services.lanes.notify();
    await waitUntil(async () => (await readiness(gateway)).restoredAt !== undefined);
    expect(await stateOf(gateway)).toMatchObject({ state: "paused" });
  });

  slowTest.each(["system", "database", "table"])(
    "counts as restored if its %s differs, even while a process delivers",
    async (part) => {
      const gateway = await start();
      await delivered(gateway, await send(gateway, "before"));
      await change(gateway, part);
      const id = await send(gateway, "after");
      await waitUntil(async () => (await readiness(gateway)).restoredAt !== undefined);
      await allHeld(gateway);
      expect(await statusOf(gateway, id)).toBe("queued");
      expect(await stateOf(gateway)).toMatchObject({
        state: "paused",
        paused_reason: "restored from a backup",
      });
    },
  );

  slowTest("counts as restored even if only a failed receiver is due", async () => {
    receiver.reaction = (response) => response.writeHead(500).end();
    const gateway = await start();
    const agentId = await firstAgentId(gateway);
    const { id } = await addEndpoint(gateway, { agentId, url: receiver.url() });
    await addEvents(gateway, agentId, [randomUUID()]);
    const isRetried = "UPDATE lane SET wake_at = '2000-01-01T00:00:00.000Z', needs_sender = true, line_id = ";
    await waitUntil(() => receiver.received.length === 1);
    await allHeld(gateway);
    await gateway.services.database.write(async (tx) => {
      await tx.query(differing("database"));
      await tx.query(`${isRetried} '${id}'`);
    });
    gateway.services.lanes.notify();
    await waitUntil(async () => (await readiness(gateway)).restoredAt !== undefined);
    expect(receiver.received).toHaveLength(1);
  });

  slowTest("that two processes find restored is held only once", async () => {
    const idle = await start({});
    await stop(await start());
    await addEvents(idle, await firstAgentId(idle), [randomUUID()]);
    const [before] = await sql(idle, "SELECT last FROM agent_stream");
    await change(idle, "table");
    await Promise.all([start(), start()]);
    const [after] = await sql(idle, "SELECT last FROM agent_stream");
    expect(BigInt(after.last) - BigInt(before.last)).toBe(1_000_000_000n);
  });

  slowTest("that is the same as before, as after a failover, continues to deliver", async () => {
    const first = await start();
    const { key } = first;
    await stop(first);
    const second = await start();
    second.key = key;
    await delivered(second, await send(second, "after"));
    expect(await readiness(second)).toEqual({ status: "ok", writes: "ok" });
  });

  slowTest(
    "that hides its system identifier is recognized without it, and with it as soon as it is visible",
    async () => {
      const role = `role_${randomUUID().replaceAll("-", "")}`;
      const admin = await start({});
      await administer(
        `CREATE ROLE ${role} LOGIN PASSWORD 'secret' IN ROLE pg_read_all_data, pg_write_all_data`,
      );
      await sql(admin, "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC");
      await sql(admin, "DELETE FROM known_database");
      const url = Object.assign(new URL(testDatabase.url), { username: role, password: "secret" }).href;
      const known = async () =>
        JSON.parse((await sql(admin, "SELECT identity FROM known_database"))[0].identity);
      try {
        await stop(await start(DELIVERS, url));
        expect(Object.keys(await known()).sort()).toEqual(["database", "table"]);
        await sql(admin, `GRANT EXECUTE ON FUNCTION pg_control_system() TO ${role}`);
        const gateway = await start(DELIVERS, url);
        expect(Object.keys(await known()).sort()).toEqual(["database", "system", "table"]);
        expect(await readiness(gateway)).toEqual({ status: "ok", writes: "ok" });
        await stop(gateway);
      } finally {
        await sql(admin, `DROP OWNED BY ${role}`);
        await administer(`DROP ROLE ${role}`);
      }
    },
  );

  test("that was restored uses no position twice, even if a process that delivers nothing starts first", async () => {
    const before = await start({});
    await addEvents(before, await firstAgentId(before), [randomUUID()]);
    const last = async (gateway: TestGateway) =>
      BigInt((await sql(gateway, "SELECT last FROM agent_stream"))[0].last);
    const used = await last(before);
    await change(before, "database");
    await stop(before);
    const intake = await start({});
    expect((await last(intake)) - used).toBe(1_000_000_000n);
    expect(await readiness(intake)).toMatchObject({ restoredAt: expect.any(String) });
  });

  slowTest("that was moved delivers if the move is confirmed before the start", async () => {
    const idle = await start({});
    await stop(await start());
    await change(idle, "system");
    const id = await send(idle, "queued");
    expect(await runCli(testDatabase.url, ["restored", "--same"])).toEqual({
      code: 0,
      signal: null,
      stdout: "Confirmed. No lines were resumed, and no webhook endpoints were enabled.\n",
      stderr: "",
    });
    const gateway = await start();
    gateway.key = idle.key;
    await delivered(gateway, id);
    expect(await readiness(gateway)).toEqual({ status: "ok", writes: "ok" });
  });
});

describeGateway({ engine: "any", env: DELIVERS }, (gateway) => {
  afterEach(endProcesses);

  slowTest("RESTORED=1 applies once to all workers of a start, and the log says to remove it", async () => {
    await addEvents(gateway, await firstAgentId(gateway), [randomUUID()]);
    const last = async () => BigInt((await sql(gateway, "SELECT last FROM agent_stream"))[0].last);
    const before = await last();
    const server = await startServer({
      DATABASE_URL: gateway.databaseUrl,
      INSTANCE_KEY,
      WORKERS: "2",
      RESTORED: "1",
    });
    expect((await last()) - before).toBe(1_000_000_000n);
    expect(await stateOf(gateway)).toMatchObject({ state: "paused" });
    expect((await server.stop()).stderr.match(/RESTORED is set/g)).toHaveLength(1);
  });

  slowTest(
    "a database declared as restored is held, and the notice ends after the confirmation",
    async () => {
      const held = await runCli(gateway.databaseUrl, ["restored", "--json"]);
      expect([held.code, held.stderr]).toEqual([0, ""]);
      const { restoredAt } = JSON.parse(held.stdout);
      expect(await readiness(gateway)).toEqual({ status: "ok", writes: "ok", restoredAt });
      expect(await stateOf(gateway)).toMatchObject({ state: "paused" });
      expect((await auditLog(gateway, { action: "database_restored" }))[0]).toMatchObject({
        actorKind: "operator",
      });
      const id = await send(gateway, "held");
      await allHeld(gateway);
      expect(await statusOf(gateway, id)).toBe("queued");

      const confirmed = await runCli(gateway.databaseUrl, ["restored", "--same", "--json"]);
      expect([confirmed.code, confirmed.stderr, JSON.parse(confirmed.stdout)]).toEqual([
        0,
        "",
        { restoredAt: null },
      ]);
      expect(await readiness(gateway)).toEqual({ status: "ok", writes: "ok" });
      expect(await stateOf(gateway)).toMatchObject({ state: "paused" });
    },
  );
});
