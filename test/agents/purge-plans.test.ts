import { loadConfig } from "../../src/config";
import { createServices, retentionOf } from "../../src/features";
import { purge } from "../../src/housekeeping";
import { createLogger } from "../../src/logger";
import { sqlite } from "../support/engines";
import { type LoggedDatabase, openLogged } from "../support/query-plans";

/** The value of every text column, so that every row belongs to the agent and every reference exists. */
const ID = "01a1f000-0000-7000-8000-000000000002";

/** Reads of tables that have few rows per agent or organization. */
const OF_FEW_ROWS = /(from|update) "(line|webhook_endpoint|webhook_cursor)"/i;

/** Rows of an erased contact: enough for a second chunk, with the column that differs and the values to find them by. */
const OF_ERASED = [
  { table: "decision", key: "id", found: { contact_id: ID } },
  { table: "event", key: "position", found: { subject: `contact:${ID}`, type: "contact.updated" } },
  { table: "conversation", key: "id", found: {} },
];

// Plans of SQLite do not depend on the number of rows.
describe("when rows are purged or erased", () => {
  let logged: LoggedDatabase;
  beforeEach(async () => {
    logged = await openLogged(sqlite);
    const { database, source } = logged;
    await database.write(async (tx) => {
      await tx.query("PRAGMA defer_foreign_keys = ON");
      for (const { tableName, columns } of source.entityMetadatas) {
        const required = columns.filter(
          ({ isNullable, isVirtualProperty }) => !isNullable && !isVirtualProperty,
        );
        const values = required.map((column) => {
          const type = source.driver.normalizeType(column);
          if (type === "varchar") return `'${ID}'`;
          return type === "text" ? "'{}'" : "1";
        });
        await tx.query(
          `insert into ${tableName} (${required.map(({ databaseName }) => databaseName)}) values (${values})`,
        );
      }
    });
    logged.statements.length = 0;
  });
  afterEach(() => logged.close());

  async function expectIndexes(change: RegExp): Promise<void> {
    const { statements, planOf } = logged;
    const planned = statements.filter(({ query }) => /^\s*(select|with|update|delete)/i.test(query));
    expect(planned.some(({ query }) => change.test(query))).toBe(true);
    for (const statement of planned.filter(({ query }) => !OF_FEW_ROWS.test(query))) {
      const { query } = statement;
      const plan = await planOf(statement);
      expect({ query, plan }).toEqual({
        query,
        plan: expect.not.stringMatching(/\bSCAN (?!last_use\b)|TEMP B-TREE/),
      });
    }
  }

  test("each chunk of a deleted agent's rows is read from an index, in its order", async () => {
    const { database } = logged;
    const services = createServices({ database, config: loadConfig({}), log: createLogger("silent") });
    for (const step of [...services.hooks.of("agentPurged")].reverse()) expect(await step(ID, {})).toBe(true);
    await expectIndexes(/delete from "?contact\b/i);
  });

  test("each chunk of expired rows is read from an index, in its order", async () => {
    const days = Object.keys(retentionOf({ retention: {} })).map((name) => [name, 1]);
    await purge(logged.database, Object.fromEntries(days));
    await expectIndexes(/delete from "?event\b/i);
  });

  test("each chunk of erased contacts' rows is read from an index, in its order", async () => {
    const { database, source, statements } = logged;
    await database.write(async (tx) => {
      for (const { table, key, found } of OF_ERASED) {
        const names = source.getMetadata(table).columns.map(({ databaseName }) => databaseName);
        const literals = new Map(Object.entries(found).map(([name, value]) => [name, `'${value}'`]));
        const values = names.map((name) => (name === key ? "9000 + i" : (literals.get(name) ?? name)));
        await tx.query(
          `with recursive n (i) as (select 1 union all select i + 1 from n where i < 300)
           insert into ${table} (${names}) select ${values} from ${table}, n`,
        );
      }
    });
    statements.length = 0;
    const services = createServices({ database, config: loadConfig({}), log: createLogger("silent") });
    const contactIds = [ID, `${ID}0`];
    for (const step of services.hooks.of("contactErased")) expect(await step(contactIds, {})).toBe(true);
    await expectIndexes(/update "?event\b/i);
  });

  test("rows that refer to a deleted row are found by an index", () => {
    const tables = logged.source.entityMetadatas;
    const unindexed = tables.flatMap(({ tableName, foreignKeys, primaryColumns, indices, uniques }) => {
      const complete = [
        primaryColumns,
        ...[...indices.filter(({ where }) => !where), ...uniques].map((each) => each.columns),
      ];
      const found = complete.map((columns) => columns.map(({ databaseName }) => databaseName).join());
      return foreignKeys
        .map(({ columnNames }) => columnNames.join())
        .filter((names) => !found.some((each) => `${each},`.startsWith(`${names},`)))
        .map((names) => `${tableName} (${names})`);
    });
    expect(unindexed).toEqual([]);
  });
});
