import { v7 as uuid } from "uuid";
import { timestamp } from "../../src/common/time";
import { loadConfig } from "../../src/config";
import { Database } from "../../src/database/database";
import { createDataSource, retentionOf } from "../../src/features";
import { AuditEntry } from "../../src/features/audit/audit-entry.entity";
import { HourlyUse } from "../../src/features/key-usage/hourly-use.entity";
import { purge, startHousekeeping } from "../../src/housekeeping";
import { IdempotencyRecord } from "../../src/idempotency/idempotency-record.entity";
import { closedAfterEach } from "../support/closing";
import { onAnyEngine, type TestDatabase } from "../support/engines";
import { startGateway } from "../support/gateway";
import { slowTest } from "../support/slow-test";
import { waitUntil, withResolver } from "../support/wait-until";

const DAY_MS = 24 * 60 * 60 * 1000;
const MANY = 3_000;

onAnyEngine((engine) => {
  const keep = closedAfterEach();
  let testDatabase: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    testDatabase = await keep(engine.createMigratedDatabase());
    database = await keep(Database.open(createDataSource(testDatabase.url)));
    await database.migrate();
  });

  const addRecords = (count: number, createdAt: string) =>
    database.write(async (tx) => {
      for (let i = 0; i < count; i += 500)
        await tx.insert(
          IdempotencyRecord,
          Array.from({ length: 500 }, () => ({ scope: "x", key: uuid(), requestHash: "", createdAt })),
        );
    });
  const records = (from = database) => from.read((reader) => reader.count(IdempotencyRecord));

  slowTest(
    "many rows are deleted in many short transactions, with writes in between, and recent rows stay",
    async () => {
      await addRecords(MANY, timestamp(-2 * DAY_MS));
      await addRecords(500, timestamp());
      const left: number[] = [];
      const writeFor = database.writeFor.bind(database);
      jest.spyOn(database, "writeFor").mockImplementation(async (...unit) => {
        const result = await writeFor(...unit);
        await database.write((tx) => tx.query("UPDATE pet SET name = name WHERE id = 0"));
        left.push(await records());
        return result;
      });
      await purge(database);
      expect(await records()).toBe(500);
      // Other readers saw intermediate states, with only some of the rows deleted.
      expect(new Set(left.filter((count) => count > 500 && count < MANY + 500)).size).toBeGreaterThan(1);
    },
  );

  slowTest("a stop ends a purge after a chunk, and the next purge continues from there", async () => {
    await addRecords(MANY, timestamp(-2 * DAY_MS));
    const writeFor = database.writeFor.bind(database);
    const ended = new Promise<void>((resolve) => {
      jest.spyOn(database, "writeFor").mockImplementationOnce(async (...unit) => {
        const result = await writeFor(...unit);
        void stop().then(resolve);
        return result;
      });
    });
    const stop = startHousekeeping(database, {}, (error) => {
      throw error;
    });
    await ended;
    const left = await records();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(MANY);
    await purge(database);
    expect(await records()).toBe(0);
  });

  slowTest("two processes that purge at the same time neither wait for each other nor fail", async () => {
    await addRecords(MANY, timestamp(-2 * DAY_MS));
    const other = await keep(Database.open(createDataSource(testDatabase.url)));
    await Promise.all([purge(database), purge(other)]);
    expect(await records()).toBe(0);
  });

  test("one process at a time does the housekeeping, and another takes over from a killed one", async () => {
    const fail = (error: unknown) => {
      throw error;
    };
    const done: string[] = [];
    const start = (name: string) => startHousekeeping(database, {}, fail, [async () => void done.push(name)]);
    const finish = withResolver();
    const stopFirst = startHousekeeping(database, {}, fail, [
      async () => {
        done.push("first");
        await finish.promise;
      },
    ]);
    await waitUntil(() => done.length === 1);
    const write = jest.spyOn(database, "write");
    const stopWaiting = start("waiting");
    await waitUntil(() => write.mock.results.length > 0);
    await write.mock.results[0]?.value;
    await stopWaiting();
    expect(done).toEqual(["first"]);
    // As if the process had not renewed its lease for a long time.
    await database.write((tx) => tx.query("update lease set held_until = $1", [timestamp(-1_000)]));
    const stopOther = start("other");
    await waitUntil(() => done.length === 2);
    await stopOther();
    finish.resolve();
    await stopFirst();
    const stopLast = start("last");
    await waitUntil(() => done.length === 3);
    await stopLast();
    expect(done).toEqual(["first", "other", "last"]);
  });

  slowTest("a process that has lost its turn stops", async () => {
    let hasStopped = false;
    const stop = startHousekeeping(database, {}, () => undefined, [
      (signal) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => {
            hasStopped = true;
            resolve();
          }),
        ),
    ]);
    const change = "update lease set holder = 'another'";
    await waitUntil(async () => {
      await database.write((tx) => tx.query(change));
      return hasStopped;
    });
    await stop();
  });

  test("audit log entries are kept as long as the setting says, or permanently without it", async () => {
    const ages = [0, 29, 31, 4_000];
    await database.write((tx) =>
      tx.insert(
        AuditEntry,
        ages.map((days) => ({
          ...({
            organizationId: "x",
            action: "agent_created",
            actorKind: "operator",
            actorName: "x",
          } as object),
          id: uuid({ msecs: Date.now() - days * DAY_MS }),
          targetId: "x",
          targetName: String(days),
          count: 1,
          createdAt: timestamp(-days * DAY_MS),
        })),
      ),
    );
    const kept = async () =>
      (await database.read((reader) => reader.find(AuditEntry)))
        .map(({ targetName }) => Number(targetName))
        .sort((a, b) => a - b);
    await purge(database);
    expect(await kept()).toEqual(ages);
    await purge(database, { AUDIT_RETENTION_DAYS: 30 });
    expect(await kept()).toEqual([0, 29]);
  });

  test("a gateway purges when it starts, by its settings", async () => {
    const use = { keyId: "x", accepted: 1, refused: 0 };
    await database.write(async (tx) => {
      await tx.insert(HourlyUse, [
        { ...use, hour: timestamp(-32 * DAY_MS) },
        { ...use, hour: timestamp(-30 * DAY_MS) },
      ]);
    });
    await keep(startGateway(engine, { database: testDatabase, env: { AUDIT_RETENTION_DAYS: "30" } }));
    const uses = () => database.read((reader) => reader.count(HourlyUse));
    await waitUntil(async () => (await uses()) <= 1);
    expect(await uses()).toBe(1);
  });
});

test("rows are kept as long as the features say, or else the settings", () => {
  const config = loadConfig({ RETENTION_EVENTS_DAYS: "7", RETENTION_DECISIONS_DAYS: "" });
  expect(retentionOf(config)).toEqual({
    AUDIT_RETENTION_DAYS: 0,
    RETENTION_CONTACTS_DAYS: 0,
    RETENTION_ATTEMPTS_DAYS: 90,
    RETENTION_MESSAGES_DAYS: 0,
    RETENTION_DECISIONS_DAYS: 90,
    RETENTION_EVENTS_DAYS: 7,
    RETENTION_DELIVERIES_DAYS: 30,
  });
});
