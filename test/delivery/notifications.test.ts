import { Database } from "../../src/database/database";
import { createDataSource } from "../../src/features";
import { closedAfterEach } from "../support/closing";
import { addConversation } from "../support/conversations";
import { postgres } from "../support/engines";
import { operator, startGateway, type TestGateway } from "../support/gateway";
import { addLine, lineClient } from "../support/lines";
import { firstAgentId } from "../support/people";
import { startPostgres } from "../support/postgres-server";
import { runCli } from "../support/process";
import { slowTest } from "../support/slow-test";
import { suiteGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const CHANNEL = "gateway_due_lanes";

/** Counts the calls of a listener. */
function counter() {
  let count = 0;
  let changed = () => {};
  return {
    listener: () => {
      count += 1;
      changed();
    },
    get count() {
      return count;
    },
    /** Resolves after more than `limit` calls. */
    async above(limit: number): Promise<void> {
      while (count <= limit) await new Promise<void>((resolve) => (changed = resolve));
    },
  };
}

describe("processes on one PostgreSQL", () => {
  const keep = closedAfterEach();
  const gateway = suiteGateway(postgres);
  let deliverer: TestGateway;
  const heard = counter();
  beforeAll(async () => {
    const env = { DELIVERY_WORKERS: "8" };
    deliverer = await startGateway(postgres, { env, database: { url: gateway.databaseUrl } });
    // Sweeps do not call listeners.
    deliverer.services.lanes.onDue(heard.listener);
    const listening =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle' AND query LIKE 'LISTEN%'";
    await waitUntil(async () => (await gateway.rows.query(listening)).length !== 0);
  });
  afterAll(() => deliverer.close());

  const send = async (from: TestGateway): Promise<string> =>
    (await from.rest("POST", "/messages", { body: { message: "Hello" }, token: gateway.key })).body.id;

  test("a process that delivers nothing wakes delivering ones, with a message alone or in a conversation", async () => {
    let before = heard.count;
    await send(gateway);
    await heard.above(before);
    const { id } = await addConversation(gateway, { agentId: await firstAgentId(gateway) });
    before = heard.count;
    await gateway.rest("POST", `/agent/conversations/${id}/messages`, { body: { message: "Hello" } });
    await heard.above(before);
  });

  slowTest("the command line wakes delivering processes when it resumes a line", async () => {
    const line = await addLine(gateway, { agentId: await firstAgentId(gateway) });
    await lineClient(gateway).pause(line.id);
    const before = heard.count;
    const resumed = await runCli(gateway.databaseUrl, ["lines", "resume", "--agent", "first-agent", line.id]);
    expect(resumed).toMatchObject({ code: 0, stderr: "" });
    await heard.above(before);
  });

  test("a delivering process announces a resumed line to others, but not its own messages", async () => {
    const other = await keep(Database.open(createDataSource(gateway.databaseUrl)));
    const others = counter();
    await keep({ close: other.listen(CHANNEL, others.listener) });
    await others.above(0);
    for (let i = 0; i < 10; i++) await send(deliverer);
    expect(others.count).toBe(1);
    const { lines } = deliverer.services;
    const context = await operator(deliverer);
    const [line] = await lines.list(context, await firstAgentId(deliverer));
    await lines.pause(context, { id: line?.id ?? "", reason: null });
    await lines.resume(context, line?.id ?? "");
    await others.above(1);
  });

  test("a unit that is rolled back announces nothing", async () => {
    const { database } = gateway.services;
    const other = await keep(Database.open(createDataSource(gateway.databaseUrl)));
    const calls = counter();
    await keep({ close: other.listen(CHANNEL, calls.listener) });
    await calls.above(0);
    const failed = database.write(async (tx) => {
      tx.announce(CHANNEL);
      throw new Error("rolled back");
    });
    await expect(failed).rejects.toThrow("rolled back");
    await database.write(async (tx) => tx.announce(CHANNEL));
    await calls.above(1);
    expect(calls.count).toBe(2);
  });
});

slowTest(
  "a listener resumes after the server was gone and learns of the gap, and a frozen server does not delay its stop",
  async () => {
    const server = await startPostgres();
    const open = () => Database.open(createDataSource(`${server.url}/postgres`), { serving: true });
    const [database, other] = [await open(), await open()];
    const calls = counter();
    const stop = database.listen("some_channel", calls.listener);
    try {
      await calls.above(0);
      await server.order("immediate");
      await server.order("start");
      await calls.above(1);
      await other.write(async (tx) => tx.announce("some_channel"));
      await calls.above(2);
      await server.order("freeze");
      await stop();
      await server.order("thaw");
    } finally {
      await stop();
      await database.close();
      await other.close();
      await server.end();
    }
  },
);
