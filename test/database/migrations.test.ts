import { Database } from "../../src/database/database";
import { createDataSource } from "../../src/features";
import { onEachEngine, type TestDatabase } from "../support/engines";

onEachEngine((engine) => {
  let place: TestDatabase;
  beforeEach(async () => {
    place = await engine.createDatabase();
  });
  afterEach(() => place.drop());

  test("the migrations make exactly the tables that the entities describe", async () => {
    const source = createDataSource(place.url);
    const database = await Database.open(source);
    try {
      await database.migrate();
      const { upQueries } = await source.driver.createSchemaBuilder().log();
      // Anything here is an entity change without a migration.
      expect(upQueries.map(({ query }) => query)).toEqual([]);
    } finally {
      await database.close();
    }
  });

  test("several processes that migrate concurrently run each migration once", async () => {
    const databases = await Promise.all([1, 2, 3, 4].map(() => Database.open(createDataSource(place.url))));
    try {
      const ran = await Promise.all(databases.map((database) => database.migrate()));
      expect(ran.flat()).toEqual([
        "Initial1763700000000",
        "AuditFilters1763900000000",
        "KeyScopes1764000000000",
        "AuditChanges1764100000000",
        "Lines1764200000000",
        "Contacts1764300000000",
        "Delivery1764400000000",
        "Conversations1764500000000",
        "Erasures1764600000000",
        "Sending1764700000000",
        "InstanceKey1764800000000",
        "LaneLine1764810000000",
        "Configuration1764900000000",
        "Decisions1764910000000",
        "DecisionBasis1764920000000",
        "Events1764930000000",
        "Webhooks1764940000000",
        "KeySettings1764950000000",
        "DeletedAgents1764951000000",
        "Invitations1764960000000",
        "Inbound1764970000000",
        "LastUses1764971000000",
        "ConversationActivity1764980000000",
      ]);
    } finally {
      await Promise.all(databases.map((database) => database.close()));
    }
  });

  test("the migrations can be undone", async () => {
    const source = createDataSource(place.url);
    const database = await Database.open(source);
    try {
      await database.migrate();
      await source.undoLastMigration();
      expect(await database.pendingMigrations()).toEqual(["ConversationActivity1764980000000"]);
    } finally {
      await database.close();
    }
  });
});
