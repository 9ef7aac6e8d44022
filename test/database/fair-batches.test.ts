import { Database } from "../../src/database/database";
import { type Failure, NO_OBSERVER } from "../../src/database/observer";
import { createDataSource } from "../../src/features";
import { Pet } from "../../src/features/pets/pet.entity";
import { closedAfterEach } from "../support/closing";
import { onAnyEngine, postgres } from "../support/engines";
import { withResolver } from "../support/wait-until";

interface Row {
  owner: string;
  name: string;
  cost?: number;
}

onAnyEngine((engine) => {
  const keep = closedAfterEach();
  let database: Database;
  /** The names that each call to `store` got. */
  let batches: string[][];
  let add: (row: Row) => Promise<string>;
  beforeEach(async () => {
    const testDatabase = await keep(engine.createMigratedDatabase());
    database = await keep(Database.open(createDataSource(testDatabase.url)));
    await database.migrate();
    batches = [];
    add = database.batchFairly<Row, string>({
      ownerOf: ({ owner }) => owner,
      costOf: ({ cost = 1 }) => cost,
      maxCost: 10,
      maxRows: 8,
      store: async (tx, rows) => {
        batches.push(rows.map(({ name }) => name));
        for (const { name } of rows)
          if (!name.startsWith("rejected")) await tx.insert(Pet, { name, categoryId: "1", status: null });
        if (rows.some(({ name }) => name.startsWith("fails"))) throw new Error("It fails.");
        return rows.map(({ name }) => (name.startsWith("rejected") ? new Error(name) : name));
      },
    });
  });

  const addAll = (owner: string, ...names: string[]) => names.map((name) => add({ owner, name }));
  const numbered = (name: string, length: number) => Array.from({ length }, (_, i) => `${name} ${i}`);
  const stored = async () => {
    const pets = await database.read((reader) => reader.find(Pet));
    return pets.map(({ name }) => name).sort();
  };

  test("rows of organizations take turns, so that an organization with many rows does not hold up another", async () => {
    const rows = [
      ...addAll("greedy", ...numbered("greedy", 30)),
      ...addAll("modest", "modest 0", "modest 1"),
    ];
    expect(await Promise.all(rows)).toEqual([...numbered("greedy", 30), "modest 0", "modest 1"]);
    expect(batches[0]).toEqual(expect.arrayContaining(["modest 0", "modest 1"]));
    expect(batches.every(({ length }) => length <= 8)).toBe(true);
    expect(await stored()).toHaveLength(32);
  });

  test("costly rows are stored in small batches, or alone if necessary", async () => {
    await Promise.all(numbered("costly", 6).map((name) => add({ owner: "one", name, cost: 6 })));
    await add({ owner: "one", name: "priceless", cost: 1_000 });
    expect(batches.map(({ length }) => length)).toEqual([2, 2, 2, 1]);
  });

  test("a rejected row does not affect the others, and neither does a failing row of another organization", async () => {
    const outcomes = await Promise.allSettled([
      ...addAll("one", "one 0", "rejected"),
      ...addAll("other", "fails", "other 0"),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    // All rows together, then each organization's, then each row of the organization that failed.
    expect(batches.map(({ length }) => length).sort()).toEqual([1, 1, 2, 2, 4]);
    expect(await stored()).toEqual(["one 0", "other 0"]);
  });
});

describe("on PostgreSQL", () => {
  test("rows of an organization that wait for a lock do not hold up others, and are not counted as failed", async () => {
    const testDatabase = await postgres.createMigratedDatabase();
    const failures: Failure[] = [];
    const database = await Database.open(createDataSource(testDatabase.url), {
      serving: true,
      observer: { ...NO_OBSERVER, failed: (failure) => void failures.push(failure) },
    });
    /** `lastWriteSucceeded` at the start of each batch. */
    const succeeded: boolean[] = [];
    const lock = "SELECT pg_advisory_xact_lock(4711)";
    const release = withResolver();
    let held: Promise<void> | undefined;
    await new Promise<void>((begun) => {
      held = database.write(async (tx) => {
        await tx.query(lock);
        begun();
        await release.promise;
      });
    });
    try {
      const add = database.batchFairly<Row, string>({
        ownerOf: ({ owner }) => owner,
        maxRows: 8,
        store: async (tx, rows) => {
          succeeded.push(database.lastWriteSucceeded);
          for (const { owner } of rows) if (owner === "waiting") await tx.query(lock);
          return rows.map(({ name }) => name);
        },
      });
      const waiting = [add({ owner: "waiting", name: "first" }), add({ owner: "waiting", name: "second" })];
      expect(await add({ owner: "other", name: "other" })).toBe("other");
      const alone = add({ owner: "waiting", name: "alone" });
      expect(await add({ owner: "other", name: "later" })).toBe("later");
      release.resolve();
      await held;
      expect(await Promise.all([...waiting, alone])).toEqual(["first", "second", "alone"]);
      expect(succeeded.length).toBeGreaterThan(2);
      expect(succeeded).not.toContain(false);
      expect(failures).toEqual([]);
    } finally {
      release.resolve();
      await database.close();
      await testDatabase.drop();
    }
  });
});
