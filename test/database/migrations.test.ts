import { Database } from "../../src/database/database";
import { MIGRATIONS } from "../../src/database/migrations";
import { createDataSource } from "../../src/features";
import { closedAfterEach } from "../support/closing";
import { onEachEngine, postgres, type TestDatabase } from "../support/engines";
import { slowTest } from "../support/slow-test";

const keep = closedAfterEach();

onEachEngine((engine) => {
  const keep = closedAfterEach();
  let testDatabase: TestDatabase;
  beforeEach(async () => {
    testDatabase = await engine.createDatabase();
  });
  afterEach(() => testDatabase.drop());

  test("the migrations create exactly the tables that the entities describe", async () => {
    const source = createDataSource(testDatabase.url);
    const database = await keep(Database.open(source));
    await database.migrate();
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    // Any statement here means that an entity was changed without a migration.
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  slowTest("several processes that migrate concurrently run each migration once", async () => {
    const databases = await Promise.all(
      [1, 2, 3, 4].map(() => Database.open(createDataSource(testDatabase.url))),
    );
    try {
      const ran = await Promise.all(databases.map((database) => database.migrate()));
      expect(ran.flat()).toEqual(MIGRATIONS.map(({ name }) => name));
    } finally {
      await Promise.all(databases.map((database) => database.close()));
    }
  });

  slowTest("the migrations can be undone", async () => {
    const source = createDataSource(testDatabase.url);
    const database = await keep(Database.open(source));
    const ran = (await database.migrate()).reverse();
    for (const name of ran) {
      await source.undoLastMigration();
      expect((await database.pendingMigrations())[0]).toBe(name);
    }
    expect(await database.migrate()).toHaveLength(ran.length);
  });
});

test("on PostgreSQL, a statement has no time limit in a migration, even in a serving process", async () => {
  const testDatabase = await keep(postgres.createDatabase());
  const database = await keep(Database.open(createDataSource(testDatabase.url), { serving: true }));
  const limit = "SHOW statement_timeout";
  expect(await database.withMigrationLock((tx) => tx.query(limit))).toEqual([{ statement_timeout: "0" }]);
  expect(await database.write((tx) => tx.query(limit))).not.toEqual([{ statement_timeout: "0" }]);
});
