import { StartupError } from "../../errors";
import { createDataSource } from "../data-source";
import { MIGRATIONS } from "../migrations";
import { SqliteFile } from "./sqlite-file";

/**
 * The statement that created each object, by type and name, without SQLite's internal tables. TypeORM's statement for
 * `migration` depends on its version, so only that table's column names are compared.
 */
const OBJECTS = `
  SELECT type || ' "' || name || '"' AS label,
    CASE object.name WHEN 'migration'
      THEN (SELECT group_concat(field.name) FROM pragma_table_info('migration') AS field)
      ELSE sql END AS sql
  FROM sqlite_master AS object
  WHERE sql IS NOT NULL AND name NOT IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4')
  ORDER BY type DESC, name`;

/**
 * Checks that a backup has exactly the tables, columns and indexes of its migrations, all known to this version.
 * @throws StartupError that names the first difference
 */
export async function assertSchemaOf(backup: string, migrations: readonly string[]): Promise<void> {
  const expected = await schemaAfter(migrations);
  const actual = schemaFrom(await SqliteFile.use(backup, "read", (file) => file.rows(OBJECTS)));
  for (const object of new Set([...expected.keys(), ...actual.keys()])) {
    if (actual.get(object) === expected.get(object)) continue;
    const difference = !actual.has(object) ? "lacks" : expected.has(object) ? "has a different" : "also has";
    throw new StartupError(`${backup} does not match the schema of its version: it ${difference} ${object}`);
  }
}

/** Runs migrations on an empty in-memory database. */
async function schemaAfter(migrations: readonly string[]): Promise<Map<string, string>> {
  const source = createDataSource("sqlite::memory:", []);
  source.setOptions({ migrations: MIGRATIONS.filter(({ name }) => migrations.includes(name)) });
  await source.initialize();
  try {
    await source.runMigrations();
    return schemaFrom(await source.query(OBJECTS));
  } finally {
    await source.destroy();
  }
}

const schemaFrom = (rows: readonly Record<string, unknown>[]): Map<string, string> =>
  new Map(rows.map(({ label, sql }) => [String(label), String(sql).replace(/\s+/g, " ").trim()]));
