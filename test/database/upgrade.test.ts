import type { DataSource } from "typeorm";
import { operatorFor } from "../../src/auth/context";
import { SCOPES } from "../../src/auth/permissions";
import { bootstrap } from "../../src/bootstrap";
import { loadConfig } from "../../src/config";
import { Database } from "../../src/database/database";
import { createDataSource, createServices } from "../../src/features";
import { digestOf } from "../../src/features/configuration/document/canonical-json";
import { Message } from "../../src/features/messages/message.entity";
import { HeldReason, MessageStatus } from "../../src/features/messages/message.enums";
import { createLogger } from "../../src/logger";
import { closedAfterEach } from "../support/closing";
import { onEachEngine, type TestDatabase, type TestEngine } from "../support/engines";
import { endProcesses, runCli, runServer } from "../support/process";
import { loadRelease, record, releasesOf, statementsOf } from "../support/released";
import { slowTest } from "../support/slow-test";

/** The secrets whose hashes `rows.sql` of the first release contains. */
const KEY = "agk_dev_PWTCLzGa9eiB_Wl77wWJKgHq3Boo94bzIQz0i7xnG";
const PASSWORD = "a password of the first release";

/**
 * The unreleased migration and the digests of its statements. A new digest requires a new name, because databases from
 * earlier builds are recognized by their migration's name.
 */
const UNRELEASED = {
  name: "VersionTwo1770000000000",
  SQLite: "0ad87ae08370c5b6d6c24c0f921c7e51e2687f6a1c4a5122611a21c875409faf",
  PostgreSQL: "390879f701f710152a563793dfa0fa9d9a439f961ee131a0b68066ff7e01add6",
};

const ORIGIN = { ip: null, userAgent: null, requestId: null };

onEachEngine((engine) => {
  let testDatabase: TestDatabase;
  let source: DataSource;
  beforeEach(async () => {
    testDatabase = await engine.createDatabase();
    source = createDataSource(testDatabase.url);
  });
  afterEach(async () => {
    await endProcesses();
    if (source.isInitialized) await source.destroy();
    await testDatabase.drop();
  });

  slowTest("a recorded migration still does the same as then, under the same name", async () => {
    await source.initialize();
    const releases = releasesOf(engine);
    expect(releases.length).toBeLessThanOrEqual(source.migrations.length);
    for (const [i, migration] of source.migrations.entries()) {
      const { name } = migration.constructor;
      const statements = await statementsOf(source, migration);
      const release = releases[i];
      if (release !== undefined) expect(release).toMatchObject({ name, statements });
      else if (process.env.RECORD) record(engine, name, statements);
      else expect({ [name]: digestOf(statements) }).toEqual({ [UNRELEASED.name]: UNRELEASED[engine.name] });
      for (const statement of statements) await source.query(statement);
    }
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  describe.each(releasesOf(engine).map(({ name }, i) => ({ name, number: i + 1 })))(
    "the tables of $name",
    ({ number }) => {
      const keep = closedAfterEach();
      beforeEach(() => loadRelease(engine, testDatabase.url, number));

      test("become the current tables and lose no row", async () => {
        const before = await rowsOf(engine, testDatabase.url);
        expect(Object.keys(before).length).toBeGreaterThan(10);
        for (const [table, rows] of Object.entries(before))
          expect([table, rows.length]).not.toEqual([table, 0]);
        const database = await keep(Database.open(source));
        await database.migrate();
        const { upQueries } = await source.driver.createSchemaBuilder().log();
        expect(upQueries.map(({ query }) => query)).toEqual([]);
        const after = await rowsOf(engine, testDatabase.url);
        for (const table of Object.keys(before).filter((name) => name !== "migration"))
          expect({ [table]: after[table] }).toMatchObject({ [table]: before[table] });
        expect(await database.migrate()).toEqual([]);
      });

      test("keep their rules: dangling references and duplicates are rejected", async () => {
        const database = await keep(Database.open(source));
        await database.migrate();
        const write = (statement: string) => database.write((tx) => tx.query(statement));
        const agent = (organization: string, slug: string) =>
          write(
            `INSERT INTO agent (id, organization_id, slug, name, created_at) VALUES ('x', '${organization}', '${slug}', 'x', 'x')`,
          );
        await expect(agent("unknown", "new")).rejects.toThrow(/foreign key/i);
        await expect(agent("01a1f000-0000-7000-8000-000000000001", "first-agent")).rejects.toThrow();
        await agent("01a1f000-0000-7000-8000-000000000001", "new");
      });

      test("still work: keys, passwords and pets are accepted, agents have a line, and no old message is sent", async () => {
        const config = loadConfig({ DATABASE_URL: testDatabase.url, LOG_LEVEL: "silent" });
        const database = await keep(Database.open(source));
        await database.migrate();
        const services = createServices({ database, config, log: createLogger("silent") });
        expect(await bootstrap(services)).toBeUndefined();
        const caller = await services.acceptedKeys.resolve(KEY, ORIGIN);
        expect(caller).toMatchObject({
          key: { scopes: SCOPES },
          agent: { slug: "first-agent" },
          organization: { slug: "first" },
        });
        const context = { caller, origin: ORIGIN };
        for (const slug of ["first-agent", "other-agent"]) {
          const { id, organization } = await services.agents.bySlug(slug);
          expect(await services.lines.list(operatorFor(organization), id)).toMatchObject([
            { name: "main", kind: "local", state: "active", isDefault: true, expireAfterSeconds: 259_200 },
          ]);
          expect(await services.configurations.find(operatorFor(organization), id)).toMatchObject({
            version: 1,
            document: { format: 1 },
            digest: digestOf({ format: 1 }),
            publishedBy: "gateway",
          });
        }
        const message = { id: "01a1f000-0000-7000-8000-000000000051" };
        expect(await database.read((reader) => reader.findOneBy(Message, message))).toMatchObject({
          status: MessageStatus.queued,
          heldReason: HeldReason.imported,
          direction: "outbound",
          author: "api",
        });
        const session = await services.sessions.signIn(
          { caller: { kind: "anonymous" }, origin: ORIGIN },
          { email: "owner@example.com", password: PASSWORD },
        );
        expect(session.member).toMatchObject({ permissions: ["config:manage"] });
        const added = await services.pets.create(context, {
          name: "Max",
          categoryId: "2",
          status: undefined,
          idempotencyKey: undefined,
        });
        expect(added.id).toBe("4");
        expect(await services.pets.find("2")).toMatchObject({
          name: "Tom's 🐈",
          categoryId: "-9223372036854775808",
        });
      });
    },
  );

  slowTest(
    "the server and the command line leave a database alone that a newer program has migrated",
    async () => {
      await loadRelease(engine, testDatabase.url, 1);
      await source.initialize();
      await source.query(
        `INSERT INTO migration ("timestamp", name) VALUES (9763700000000, 'FromTheFuture9763700000000')`,
      );
      await source.destroy();
      const before = await rowsOf(engine, testDatabase.url);
      const [server, migrate, list] = await Promise.all([
        runServer({ DATABASE_URL: testDatabase.url }),
        runCli(testDatabase.url, ["migrate"]),
        runCli(testDatabase.url, ["keys", "list"]),
      ]);
      for (const { code, stdout, stderr } of [server, migrate, list]) {
        expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
        expect(stderr).toMatch(
          /^gateway: the database \S+ was migrated by a newer or unreleased version [^\n]+\n$/,
        );
        expect(stderr).toContain("FromTheFuture9763700000000");
        expect(stderr).not.toContain("postgres:postgres@");
      }
      expect(await rowsOf(engine, testDatabase.url)).toEqual(before);
    },
  );
});

/** Returns every row of every table, with each value as text, in an order that does not depend on the database. */
async function rowsOf(engine: TestEngine, url: string): Promise<Record<string, Record<string, unknown>[]>> {
  const source = createDataSource(url);
  await source.initialize();
  try {
    const tables: { name: string }[] = await source.query(
      engine.name === "SQLite"
        ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    const found: Record<string, Record<string, unknown>[]> = {};
    for (const { name } of tables) {
      const columns: { name: string }[] = await source.query(
        engine.name === "SQLite"
          ? `SELECT name FROM pragma_table_info('${name}')`
          : `SELECT column_name AS name FROM information_schema.columns WHERE table_name = '${name}' ORDER BY ordinal_position`,
      );
      const texts = columns.map((column) => `CAST("${column.name}" AS text) AS "${column.name}"`);
      const rows: Record<string, unknown>[] = await source.query(`SELECT ${texts} FROM "${name}"`);
      found[name] = rows.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    }
    return found;
  } finally {
    await source.destroy();
  }
}
