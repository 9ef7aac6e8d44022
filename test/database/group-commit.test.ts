import { setImmediate } from "node:timers/promises";
import type { DataSource, Logger } from "typeorm";
import { inChunks } from "../../src/database/chunks";
import { Database } from "../../src/database/database";
import { WAITS } from "../../src/database/limits";
import { type DatabaseObserver, NO_OBSERVER } from "../../src/database/observer";
import { createDataSource } from "../../src/features";
import { Pet } from "../../src/features/pets/pet.entity";
import { sqlite, type TestDatabase } from "../support/engines";

describe("concurrent writes on SQLite", () => {
  let testDatabase: TestDatabase;
  let database: Database;
  let statements: string[];
  let source: DataSource;
  /** Number of units in each transaction. */
  let transactions: number[];
  beforeEach(async () => {
    testDatabase = await sqlite.createMigratedDatabase();
    source = createDataSource(testDatabase.url);
    transactions = [];
    statements = [];
    const none = () => {};
    const logger: Logger = {
      logQuery: (query) => void statements.push(query),
      logQueryError: none,
      logQuerySlow: none,
      logSchemaBuild: none,
      logMigration: none,
      log: none,
    };
    const observer: DatabaseObserver = {
      ...NO_OBSERVER,
      coalesced: (what, calls) => {
        if (what === "transaction") transactions.push(calls);
      },
    };
    database = await Database.open(source.setOptions({ logging: ["query"], logger }), { observer });
    statements.length = 0;
    transactions.length = 0;
    // A busy machine spreads units over more transactions, because each has a time limit.
    jest.spyOn(performance, "now").mockReturnValue(0);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await database.close();
    await testDatabase.drop();
  });

  const pet = (name: string) => ({ name, categoryId: "1", status: null });
  const add = (name: string) => database.write((tx) => tx.insert(Pet, pet(name)));
  const names = async () => {
    const pets = await database.read((reader) => reader.find(Pet));
    return pets.map(({ name }) => name).sort();
  };
  const commits = () => statements.filter((statement) => statement === "COMMIT").length;

  test("units that arrive while a transaction is running share the next one", async () => {
    let rest: Promise<unknown[]> = Promise.resolve([]);
    await database.write(async (tx) => {
      await tx.insert(Pet, pet("first"));
      rest = Promise.all(Array.from({ length: 20 }, (_, i) => add(`later ${i}`)));
    });
    await rest;
    expect(commits()).toBe(2);
    expect(await names()).toHaveLength(21);
  });

  test("more units than fit into one transaction are all kept, in several", async () => {
    await Promise.all(Array.from({ length: 250 }, (_, i) => add(`pet ${i}`)));
    expect(await names()).toHaveLength(250);
    expect(commits()).toBeLessThan(60);
  });

  test("units of organizations take turns and keep their order, so that one with many does not hold up another", async () => {
    const order: string[] = [];
    const write = (owner: string, name: string) =>
      database.writeFor(owner, async (tx) => {
        order.push(name);
        await tx.insert(Pet, pet(name));
      });
    const greedy = Array.from({ length: 250 }, (_, i) => `greedy ${i}`);
    const all = [
      ...greedy.map((name) => write("greedy", name)),
      write("modest", "modest"),
      write("other", "other"),
    ];
    await Promise.all(all);
    expect(order.indexOf("modest")).toBeLessThan(100);
    expect(order.indexOf("other")).toBeLessThan(100);
    expect(order.filter((name) => name.startsWith("greedy"))).toEqual(greedy);
    expect(await names()).toHaveLength(252);
  });

  test("chunks of an organization's work take turns with others, including the gateway's own", async () => {
    const order: string[] = [];
    const chunks = () =>
      inChunks(
        database,
        async () => {
          order.push("chunk");
          return undefined;
        },
        { owner: "greedy" },
      );
    const own = () => database.write(async () => void order.push("own"));
    await Promise.all([own(), chunks(), chunks(), chunks(), own()]);
    expect(order).toEqual(["own", "chunk", "own", "chunk", "chunk"]);
  });

  test("slow units of an organization are spread over transactions, so that another waits for few of them", async () => {
    let slowMs = 0;
    jest.mocked(performance.now).mockImplementation(() => slowMs);
    const order: string[] = [];
    const slow = Array.from({ length: 20 }, (_, i) =>
      database.writeFor("greedy", async (tx) => {
        slowMs += 60;
        order.push(`greedy ${i}`);
        await tx.insert(Pet, pet(`greedy ${i}`));
      }),
    );
    await Promise.all(slow);
    expect(order).toHaveLength(20);
    expect(Math.max(...transactions)).toBe(1);
    expect(await names()).toHaveLength(20);
  });

  test("under steady load, every transaction contains a unit", async () => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, writer) => {
        for (let i = 0; i < 10; i++) {
          await add(`pet ${i} of ${writer}`);
          // Like a request that comes after the response to the previous one.
          await setImmediate();
        }
      }),
    );
    expect(transactions.filter((units) => units === 0)).toEqual([]);
    expect(transactions.reduce((sum, units) => sum + units, 0)).toBe(200);
    expect(statements.filter((statement) => statement === "BEGIN IMMEDIATE")).toHaveLength(
      transactions.length,
    );
  });

  test("if the time to wait for the write lock cannot be changed, writes continue and the change is retried", async () => {
    const other = await createDataSource(testDatabase.url).initialize();
    try {
      await database.write((tx) => tx.query("PRAGMA busy_timeout = 20"));
      const query = source.query.bind(source);
      const asked: string[] = [];
      jest.spyOn(source, "query").mockImplementation(async (statement) => {
        asked.push(statement);
        if (asked.length === 1) throw new Error("disk I/O error");
        return query(statement);
      });
      await other.query("BEGIN EXCLUSIVE");
      await expect(add("while it is locked")).rejects.toMatchObject({ code: "unavailable" });
      await expect(add("while it is still locked")).rejects.toMatchObject({ code: "unavailable" });
      await other.query("COMMIT");
      await add("afterwards");
      await add("and again");
      expect(asked).toEqual([50, 50, WAITS.writer].map((ms) => `PRAGMA busy_timeout = ${ms}`));
    } finally {
      await other.destroy();
    }
  });

  test("no unit resolves before its transaction is durable", async () => {
    let answered = 0;
    let seenByOthers: number[] = [];
    await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        await add(`pet ${i}`);
        answered += 1;
        const before = answered;
        const found = await names();
        seenByOthers = [...seenByOthers, found.length - before];
      }),
    );
    expect(Math.min(...seenByOthers)).toBeGreaterThanOrEqual(0);
  });

  test("if a unit ends the shared transaction, it and the earlier units fail and are not kept, and later units work", async () => {
    const units = [
      add("before"),
      database.write(async (tx) => {
        await tx.insert(Pet, pet("the one"));
        // SQLite does this by itself when the disk is full.
        await tx.query("ROLLBACK");
        throw new Error("the disk is full");
      }),
      add("after"),
    ];
    // One unit goes ahead, so that the other three share a transaction.
    const outcomes = (await Promise.allSettled([add("alone"), ...units])).map(({ status }) => status);
    expect(outcomes.slice(1)).toEqual(["rejected", "rejected", "fulfilled"]);
    expect(await names()).toEqual(["after", ...(outcomes[0] === "fulfilled" ? ["alone"] : [])]);
    await add("next");
    expect(await names()).toContain("next");
  });
});
