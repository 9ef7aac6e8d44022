import { v7 as uuid } from "uuid";
import { Database } from "../../src/database/database";
import { createDataSource } from "../../src/features";
import { AuditEntry } from "../../src/features/audit/audit-entry.entity";
import { HourlyUse } from "../../src/features/key-usage/hourly-use.entity";
import { UsageRecorder } from "../../src/features/key-usage/usage-recorder";
import { postgres, type TestDatabase } from "../support/engines";

const ORIGIN = { ip: null, userAgent: null, requestId: null };

describe("usage counts of several processes on PostgreSQL", () => {
  let testDatabase: TestDatabase;
  let databases: Database[];
  beforeAll(async () => {
    testDatabase = await postgres.createMigratedDatabase();
    databases = await Promise.all([1, 2].map(() => Database.open(createDataSource(testDatabase.url))));
  });
  afterAll(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await testDatabase.drop();
  });

  const processes = () => databases.map((database) => new UsageRecorder(database, () => undefined));
  const keyOf = (id: string) => ({ id, hint: "agk_dev_hint", name: "known", organizationId: uuid() });

  test("different keys are written at the same time, and the same key is written one after the other", async () => {
    const [held, free] = [uuid(), uuid()];
    const [one, other] = processes() as [UsageRecorder, UsageRecorder];
    one.accepted(held, ORIGIN);
    await one.flush({ all: true });
    one.accepted(held, ORIGIN);
    other.accepted(free, ORIGIN);
    let waiting: Promise<void> | undefined;
    let isWritten = false;
    await databases[0]?.write(async (tx) => {
      await tx.query("select 1 from hourly_use where key_id = $1 for update", [held]);
      waiting = one.flush({ all: true }).then(() => {
        isWritten = true;
      });
      await other.flush({ all: true });
      expect(isWritten).toBe(false);
    });
    await waiting;
    const rows = await databases[0]?.read((reader) => reader.find(HourlyUse, { order: { keyId: "ASC" } }));
    expect(rows?.map(({ keyId, accepted }) => [keyId, accepted])).toEqual([
      [held, 2],
      [free, 1],
    ]);
  });

  test("processes that count the same keys in different orders do not deadlock", async () => {
    const keys = Array.from({ length: 5 }, () => keyOf(uuid()));
    const both = processes();
    const rounds = 10;
    for (let i = 0; i < rounds; i++) {
      both.forEach((process, n) => {
        for (const key of n === 0 ? keys : [...keys].reverse()) {
          process.rejected(key, ORIGIN);
          process.deprecated(key.id, ["Query.pet"]);
          for (const path of n === 0 ? ["a", "b"] : ["b", "a"])
            process.ended(key.id, `GET /${path}`, ORIGIN, "ok");
        }
      });
      await Promise.all(both.map((process) => process.flush({ all: true })));
    }
    const entries = await databases[0]?.read((reader) => reader.find(AuditEntry));
    expect(entries?.reduce((sum, { count }) => sum + count, 0)).toBe(2 * rounds * keys.length);
  });
});
