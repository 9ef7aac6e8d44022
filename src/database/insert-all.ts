import type { EntityTarget, ObjectLiteral } from "typeorm";
import { fillDefaults } from "./fill-defaults";
import type { Tx } from "./unit-of-work";

/** Max parameters of a statement; SQLite allows 32,766 and PostgreSQL 65,535. */
const MAX_PARAMETERS = 30_000;

/**
 * Inserts many rows in few statements, in about a fifth of the CPU time of TypeORM's builder.
 * @param rows all with the same properties; defaults are added to them
 * @param options.orIgnore true to skip rows that violate a unique index
 */
export async function insertAll<Row extends ObjectLiteral>(
  tx: Tx,
  entity: EntityTarget<Row>,
  rows: readonly Partial<Row>[],
  { orIgnore = false } = {},
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  fillDefaults(tx, entity, rows);
  if (tx.isDryRun) return;
  const { driver } = tx.connection;
  const { tableName, columns: all } = tx.connection.getMetadata(entity);
  const columns = Object.keys(first).map((name) => {
    const column = all.find(({ propertyName }) => propertyName === name);
    if (column === undefined) throw new Error(`${tableName} has no column for ${name}.`);
    return column;
  });
  const names = columns.map(({ databaseName }) => driver.escape(databaseName)).join(", ");
  const atOnce = Math.floor(MAX_PARAMETERS / columns.length);
  // Numbered placeholders: SQLite searches a list for each named one, such as `$1`.
  const values = (length: number, from: number) =>
    `(${Array.from({ length }, (_, i) => driver.createParameter("", from + i)).join(", ")})`;
  for (let at = 0; at < rows.length; at += atOnce) {
    const some = rows.slice(at, at + atOnce);
    await tx.query(
      `INSERT INTO ${driver.escape(tableName)} (${names}) VALUES ${some.map((_, i) => values(columns.length, i * columns.length)).join(", ")}${orIgnore ? " ON CONFLICT DO NOTHING" : ""}`,
      some.flatMap((row) =>
        columns.map((column) => driver.preparePersistentValue(row[column.propertyName], column)),
      ),
    );
  }
}
