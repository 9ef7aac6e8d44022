import { Database } from "../../src/database/database";
import { allReturning, placeholders } from "../../src/database/returning";
import { GatewayError } from "../../src/errors";
import { createDataSource } from "../../src/features";
import { PET_ORDER, Pet } from "../../src/features/pets/pet.entity";
import { closedAfterEach } from "../support/closing";
import { onEachEngine, postgres, type TestDatabase } from "../support/engines";
import { withResolver } from "../support/wait-until";

onEachEngine((engine) => {
  const keep = closedAfterEach();
  let testDatabase: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    testDatabase = await engine.createMigratedDatabase();
    database = await Database.open(createDataSource(testDatabase.url));
    await database.migrate();
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  let category = 0;
  beforeEach(() => {
    category += 1;
  });
  const pet = (name: string) => ({ name, categoryId: String(category), status: null });
  /** Returns the names of this test's pets, from any connection. */
  const names = async (from = database) =>
    (await from.read((reader) => reader.findBy(Pet, { categoryId: String(category) })))
      .map(({ name }) => name)
      .sort();

  test("many concurrent units are all kept, except the ones that fail, which leave nothing", async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) =>
        database.write(async (tx) => {
          await tx.insert(Pet, pet(`first of ${i}`));
          await tx.insert(Pet, pet(`second of ${i}`));
          if (i % 5 === 0) throw new Error(`unit ${i}`);
          return i;
        }),
      ),
    );
    const kept = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    expect(kept).toEqual(Array.from({ length: 50 }, (_, i) => i).filter((i) => i % 5 !== 0));
    expect(await names()).toEqual(kept.flatMap((i) => [`first of ${i}`, `second of ${i}`]).sort());
  });

  // SQLite runs one unit after the other.
  if (engine === postgres)
    test("units of one organization that wait for each other leave connections to others' units", async () => {
      const { promise: lock, resolve: release } = withResolver();
      const ours = Array.from({ length: 50 }, () =>
        database.writeFor("ours", () => lock).catch(() => undefined),
      );
      try {
        await database.writeFor("theirs", (tx) => tx.insert(Pet, pet("theirs")));
        expect(await names()).toEqual(["theirs"]);
      } finally {
        release();
        await Promise.all(ours);
      }
    });

  test("a read that rejects its caller runs once", async () => {
    let runs = 0;
    const rejected = database.read(async (reader) => {
      runs += 1;
      await reader.exists(Pet);
      throw new GatewayError("not_found");
    });
    await expect(rejected).rejects.toMatchObject({ code: "not_found" });
    expect(runs).toBe(1);
  });

  test("hooks of a unit are called once, after its commit and before its caller continues, and not after a rollback", async () => {
    const calls: string[] = [];
    const hooks = Array.from({ length: 10 }, (_, i) => () => void calls.push(`hook ${i}`));
    const add = database.batchInserts(async (tx, rows: readonly number[]) => {
      for (const i of [...rows, ...rows]) tx.afterCommit(hooks[i] as () => void);
      await tx.query("SELECT 1");
      if (rows.some((i) => i >= 5)) throw new Error("rejected");
      return [...rows];
    });
    await Promise.allSettled(hooks.map((_, i) => add(i).then(() => calls.push(`caller ${i}`))));
    expect([...calls].sort()).toEqual(
      ["caller", "hook"].flatMap((what) => [0, 1, 2, 3, 4].map((i) => `${what} ${i}`)),
    );
    for (let i = 0; i < 5; i++) expect(calls.indexOf(`hook ${i}`)).toBeLessThan(calls.indexOf(`caller ${i}`));
  });

  test("a unit fails with the very error that it throws", async () => {
    const withCode = Object.assign(new TypeError("not a string"), { code: "ERR_INVALID_ARG_TYPE" });
    for (const failure of [new GatewayError("conflict", "mine"), new Error("broken"), withCode])
      await expect(
        database.write(async () => {
          throw failure;
        }),
      ).rejects.toBe(failure);
  });

  test("a unit whose statement the database rejects leaves nothing, and the next one works", async () => {
    await expect(
      database.write(async (tx) => {
        await tx.insert(Pet, pet("before the rejection"));
        await tx.query("INSERT INTO no_such_table VALUES (1)");
      }),
    ).rejects.toThrow();
    await database.write((tx) => tx.insert(Pet, pet("after the rejection")));
    expect(await names()).toEqual(["after the rejection"]);
  });

  test("a unit that continues after a failed statement does not report success if it was not kept", async () => {
    const unit = database.write(async (tx) => {
      await tx.insert(Pet, pet("before the rejection"));
      await tx.query("INSERT INTO no_such_table VALUES (1)").catch(() => undefined);
    });
    const kept = await unit.then(
      () => true,
      () => false,
    );
    expect(await names()).toEqual(kept ? ["before the rejection"] : []);
  });

  describe("a unit of one statement", () => {
    const add = () =>
      database.batchInserts<{ name: string | null }, string>(
        async (tx, given) => {
          await tx.lockInsertOrder(PET_ORDER);
          const added = await allReturning<{ name: string }>(
            tx,
            `insert into pet (name, category_id) values ${placeholders(given.length, 2)} returning name`,
            given.flatMap(({ name }) => [name, category]),
          );
          return added.map(({ name }) => name);
        },
        { singleStatement: true },
      );

    test("is kept once for each call", async () => {
      const call = add();
      const given = Array.from({ length: 40 }, (_, i) => `pet ${i}`);
      expect((await Promise.all(given.map((name) => call({ name })))).sort()).toEqual([...given].sort());
      expect(await names()).toEqual([...given].sort());
    });

    test("fails with the rejection of its statement, which leaves nothing, and the next one works", async () => {
      const call = add();
      await expect(call({ name: null })).rejects.toThrow(/not.null/i);
      await expect(Promise.allSettled([call({ name: "kept" }), call({ name: null })])).resolves.toMatchObject(
        [
          { status: "fulfilled" },
          { status: "rejected", reason: { message: expect.stringMatching(/not.null/i) } },
        ],
      );
      await call({ name: "last" });
      expect(await names()).toEqual(["kept", "last"]);
    });

    test("fails with the error that it throws before its statement, and leaves nothing", async () => {
      const failure = new Error("rejected");
      const call = database.batchInserts(
        async (tx) => {
          await tx.lockInsertOrder(PET_ORDER);
          throw failure;
        },
        { singleStatement: true },
      );
      await expect(call("never")).rejects.toBe(failure);
      // The lock is released.
      await add()({ name: "next" });
      expect(await names()).toEqual(["next"]);
    });
  });

  test("a concurrent read sees nothing of an open unit, and all of it afterwards", async () => {
    const other = await keep(Database.open(createDataSource(testDatabase.url)));
    await database.write(async (tx) => {
      await tx.insert(Pet, pet("in progress"));
      expect(await tx.countBy(Pet, { categoryId: String(category) })).toBe(1);
      expect(await names()).toEqual([]);
      expect(await names(other)).toEqual([]);
    });
    expect(await names()).toEqual(["in progress"]);
    expect(await names(other)).toEqual(["in progress"]);
  });

  test("a unit that has ended can run no more statements", async () => {
    const late = await database.write(async (tx) => tx);
    await expect(late.insert(Pet, pet("late"))).rejects.toThrow();
    await expect(late.query("SELECT 1")).rejects.toThrow();
    expect(await names()).toEqual([]);
  });

  test("a unit that has failed can run no more statements", async () => {
    let late: Promise<unknown> = Promise.resolve();
    await database
      .write(async (tx) => {
        // One statement runs while the unit fails, and another one follows.
        late = tx.query("SELECT 1").then(() => tx.query("SELECT 2").then(() => tx.insert(Pet, pet("late"))));
        late.catch(() => undefined);
        throw new Error("the unit");
      })
      .catch(() => undefined);
    await expect(late).rejects.toThrow("after the end of its unit");
    expect(await names()).toEqual([]);
  });

  test("a statement that a unit forgot to await is either part of the unit or rejected, never part of another unit", async () => {
    const forgotten: Promise<unknown>[] = [];
    const forget = (work: Promise<unknown>) => {
      forgotten.push(work.catch(() => undefined));
    };
    const units = Array.from({ length: 40 }, (_, i) =>
      database
        .write(async (tx) => {
          await tx.insert(Pet, pet(`awaited ${i}`));
          forget(tx.insert(Pet, pet(`forgotten ${i}`)));
          forget(tx.query("SELECT 1").then(() => tx.insert(Pet, pet(`late ${i}`))));
          if (i % 2 === 0) throw new Error(`unit ${i}`);
        })
        .catch(() => undefined),
    );
    await Promise.all(units);
    await Promise.all(forgotten);
    const found = await names();
    const unitsOf = (word: string) =>
      found.filter((name) => name.startsWith(word)).map((name) => Number(name.split(" ")[1]));
    const odd = Array.from({ length: 20 }, (_, i) => 2 * i + 1);
    expect(unitsOf("awaited").sort((a, b) => a - b)).toEqual(odd);
    expect(unitsOf("forgotten").every((i) => i % 2 === 1)).toBe(true);
    expect(unitsOf("late").every((i) => i % 2 === 1)).toBe(true);
  });

  test("two processes that write at the same time lose nothing", async () => {
    const other = await keep(Database.open(createDataSource(testDatabase.url)));
    const write = (to: Database, who: string) =>
      Array.from({ length: 30 }, (_, i) => to.write((tx) => tx.insert(Pet, pet(`${who} ${i}`))));
    await Promise.all([...write(database, "one"), ...write(other, "other")]);
    expect(await names()).toHaveLength(60);
  });

  test("units of two processes inside withMigrationLock never overlap", async () => {
    const other = await keep(Database.open(createDataSource(testDatabase.url)));
    let inside = 0;
    let most = 0;
    const enter = (to: Database) =>
      to.withMigrationLock(async (tx) => {
        inside += 1;
        most = Math.max(most, inside);
        await tx.query("SELECT 1");
        inside -= 1;
      });
    await Promise.all([database, other, database, other].map(enter));
    expect(most).toBe(1);
  });
});
