import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiKeyActions } from "../../src/features/api-keys/api-key.audit";
import { ApiKey } from "../../src/features/api-keys/api-key.entity";
import { AuditEntry } from "../../src/features/audit/audit-entry.entity";
import { UsageRecorder } from "../../src/features/key-usage/usage-recorder";
import { auditLog } from "../support/audit";
import { sqlite } from "../support/engines";
import { mint, startGateway, type TestGateway } from "../support/gateway";
import { apiKeyClient } from "../support/keys";
import { codeOf } from "../support/people";
import { endProcesses, secretsIn, spawnServer } from "../support/process";

const LONG = "x".repeat(9_000);

describe.each([
  // The file cannot grow, so SQLite reports "database or disk is full", as for a full disk.
  ["is full", "PRAGMA max_page_count = 1", "PRAGMA max_page_count = 4294967294", "SQLITE_FULL"],
  // As if the file system were remounted read-only.
  ["has become read-only", "PRAGMA query_only = ON", "PRAGMA query_only = OFF", "SQLITE_READONLY"],
])("while the disk of the SQLite file %s", (_, fail, mend, driverCode) => {
  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await startGateway(sqlite);
    await gateway.rest("POST", "/v1/pets", { body: { name: "Rex", categoryId: 1 } });
    await inWriter(fail);
  });
  afterEach(async () => {
    await inWriter(mend);
    await gateway.close();
  });

  const inWriter = (pragma: string) => onWriter(gateway, pragma);
  const send = (i: number) =>
    i % 2 === 0
      ? gateway.rest("POST", "/messages", {
          body: { message: LONG },
          headers: i % 4 === 0 ? { "idempotency-key": `key ${i}` } : {},
        })
      : gateway.graphql("mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }", {
          input: { text: LONG, idempotencyKey: i % 4 === 1 ? `key ${i}` : undefined },
        });
  const messages = async () =>
    (await gateway.graphql("{ messages(first: 100) { nodes { id } } }")).body.data.messages.nodes.length;

  test("writes are answered 503 through both APIs, reads continue, and both work after the repair", async () => {
    const numbers = Array.from({ length: 16 }, (_, i) => i);
    const rejected = await Promise.all(numbers.map(send));
    expect(rejected.map(({ status }) => status)).toEqual(numbers.map(() => 503));
    expect(rejected.map(codeOf)).toEqual(numbers.map(() => "unavailable"));
    for (const { headers } of rejected) expect(headers.get("retry-after")).toMatch(/^\d+$/);
    expect(gateway.log()).toContain(driverCode);
    expect((await gateway.rest("GET", "/v1/pets")).body).toHaveLength(1);
    expect((await gateway.rest("GET", "/agent/whoami")).status).toBe(200);
    expect(await messages()).toBe(0);
    let ready = await gateway.rest("GET", "/readyz");
    // Recorded key usage takes few bytes and may still fit, which sets `writes` back to ok.
    while (ready.body.writes === "ok") {
      expect((await send(0)).status).toBe(503);
      ready = await gateway.rest("GET", "/readyz");
    }
    expect([ready.status, ready.body]).toEqual([200, { status: "ok", writes: "unavailable" }]);

    await inWriter(mend);
    const retried = await Promise.all(numbers.map(send));
    expect(retried.map(codeOf)).toEqual(numbers.map(() => undefined));
    expect(await messages()).toBe(numbers.length);
    expect((await gateway.rest("GET", "/readyz")).body).toEqual({ status: "ok", writes: "ok" });
  });

  test("no key exists without its audit log entry, and no entry without its key", async () => {
    const desk = apiKeyClient(gateway);
    let created = 1;
    // Some keys fit into pages that the file already has.
    while (codeOf(await desk.create({ name: `key ${created}` })) === undefined) created += 1;
    const [keys, entries] = await gateway.services.database.read((reader) =>
      Promise.all([
        reader.find(ApiKey),
        reader.findBy(AuditEntry, { action: apiKeyActions.api_key_created }),
      ]),
    );
    expect(keys).toHaveLength(created);
    expect(entries.map(({ targetId }) => targetId).sort()).toEqual(keys.map(({ id }) => id).sort());
  });
});

/** Runs a pragma, which changes nothing in the file, on the connection that writes, outside of a transaction. */
const onWriter = (gateway: TestGateway, pragma: string): Promise<unknown> =>
  gateway.services.database.batchInserts(
    (tx, pragmas: readonly string[]) => Promise.all(pragmas.map((text) => tx.query(text))),
    { singleStatement: true },
  )(pragma);

describe("counts while nothing can be written", () => {
  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await startGateway(sqlite);
  });
  afterEach(() => gateway.close());

  test("take the space of one entry per key and are written in the end, and failures are logged less and less often", async () => {
    const { database } = gateway.services;
    const { id } = await mint(gateway);
    const { organizationId, ...key } = await database.read((reader) =>
      reader.findOneByOrFail(ApiKey, { id }),
    );
    const origin = { ip: null, userAgent: null, requestId: null };
    const errors: unknown[] = [];
    // Writes run one after the other, so earlier writes have failed when this one has.
    const settled = () => database.write((tx) => tx.query("SELECT 1")).catch(() => undefined);
    const seconds = 600;
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "performance"] });
    try {
      const usage = new UsageRecorder(database, (error) => errors.push(error));
      await onWriter(gateway, "PRAGMA query_only = ON");
      for (let second = 0; second < seconds; second += 1) {
        usage.rejected({ ...key, organizationId }, origin);
        await jest.advanceTimersByTimeAsync(1_000);
        await settled();
      }
      await onWriter(gateway, "PRAGMA query_only = OFF");
      await usage.close();
    } finally {
      jest.useRealTimers();
    }
    // After 2, 4, … 32 seconds, then once a minute.
    expect(errors.length).toBeGreaterThan(10);
    expect(errors.length).toBeLessThan(20);
    const entries = await auditLog(gateway, { targetId: id, action: "api_key_refused" });
    const counts: number[] = entries.map(({ count }: { count: number }) => count);
    expect(counts.reduce((sum, count) => sum + count)).toBe(seconds);
    // Fewer than one per minute, because all counts before the last failure are merged.
    expect(counts.length).toBeLessThan(5);
  });
});

const MAX_FILE_BYTES = 1.5 * 1024 * 1024;

// Windows has no limit on the size of the files that a process writes.
const onPosix = process.platform === "win32" ? test.skip : test;

onPosix(
  "a server whose files, log included, cannot grow any more goes on to read, and says so on each write",
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "gateway-test-"));
    try {
      const log = join(directory, "log");
      const server = spawnServer(
        { DATABASE_URL: `sqlite:${join(directory, "gateway.sqlite")}`, LOG_LEVEL: "trace" },
        // In units of 512 bytes; the first start writes a megabyte.
        { shell: `ulimit -f ${MAX_FILE_BYTES / 512}; exec "$0" "$@" 2>${log}` },
      );
      await server.until("stdout", "/graphql\n");
      const url = /at (\S+)\/graphql\n/.exec(server.stdout())?.[1];
      const authorization = `Bearer ${secretsIn(server.stdout())?.key}`;
      const call = (path: string, body?: object) =>
        fetch(`${url}${path}`, {
          headers: { authorization, "content-type": "application/json" },
          ...(body && { method: "POST", body: JSON.stringify(body) }),
        });
      const statuses = new Set<number>();
      for (let i = 0; i < 300; i += 1) statuses.add((await call("/messages", { message: LONG })).status);
      expect(statuses).toEqual(new Set([201, 503]));
      const { size } = await stat(log);
      for (let i = 0; i < 6_000 && (await stat(log)).size < MAX_FILE_BYTES; i += 1)
        await call("/agent/whoami");
      expect(size).toBeLessThanOrEqual(MAX_FILE_BYTES);
      expect((await call("/messages", { message: LONG })).status).toBe(503);
      expect((await call("/agent/whoami")).status).toBe(200);
      expect(await (await call("/readyz")).json()).toEqual({ status: "ok", writes: "unavailable" });
      server.signal("SIGTERM");
      expect((await server.ended).code).toBe(0);
    } finally {
      await endProcesses();
      await rm(directory, { recursive: true, force: true });
    }
  },
);
