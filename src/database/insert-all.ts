import type { EntityManager, EntityTarget, ObjectLiteral } from "typeorm";
import type { ColumnMetadata } from "typeorm/metadata/ColumnMetadata";
import type { Change } from "./change-together";
import { inStatements } from "./returning";
import type { Tx } from "./unit-of-work";

/**
 * Inserts many rows with few statements, in about a fifth of the CPU time that TypeORM's query builder takes.
 * @param rows all with the same properties; defaults are added to them
 * @param options.orIgnore true to skip rows that violate a unique index
 */
export async function insertAll<Row extends ObjectLiteral>(
  tx: Tx,
  entity: EntityTarget<Row>,
  rows: readonly Partial<Row>[],
  options: { orIgnore?: boolean } = {},
): Promise<void> {
  for (const { sql, parameters } of insertsOf(tx, entity, rows, options))
    if (!tx.isDryRun) await tx.query(sql, [...parameters]);
}

/** Returns the statements of `insertAll`, for `changeTogether`. */
export function insertsOf<Row extends ObjectLiteral>(
  tx: Tx,
  entity: EntityTarget<Row>,
  rows: readonly Partial<Row>[],
  { orIgnore = false } = {},
): Change[] {
  const [first] = rows;
  if (first === undefined) return [];
  fillDefaults(tx, entity, rows);
  const { driver } = tx.connection;
  const { tableName, columns: all } = tx.connection.getMetadata(entity);
  const columns = Object.keys(first).flatMap((name) => {
    const column = all.find(({ propertyName }) => propertyName === name);
    if (column === undefined) throw new Error(`${tableName} has no column for ${name}.`);
    return column.isVirtualProperty || isNullInAll(rows, column) ? [] : [column];
  });
  const names = columns.map(({ databaseName }) => driver.escape(databaseName)).join(", ");
  // Uses numbered placeholders, because SQLite searches a list for each named placeholder, such as `$1`.
  const values = (length: number, from: number) =>
    `(${Array.from({ length }, (_, i) => driver.createParameter("", from + i)).join(", ")})`;
  return inStatements(rows, columns.length).map((some) => ({
    sql: `INSERT INTO ${driver.escape(tableName)} (${names}) VALUES ${some.map((_, i) => values(columns.length, i * columns.length)).join(", ")}${orIgnore ? " ON CONFLICT DO NOTHING" : ""}`,
    parameters: some.flatMap((row) =>
      columns.map((column) => driver.preparePersistentValue(row[column.propertyName], column)),
    ),
  }));
}

/**
 * True if a column can be omitted: it is null in all rows, and binding a null takes longer than binding a short string.
 */
const isNullInAll = <Row extends ObjectLiteral>(
  rows: readonly Partial<Row>[],
  { propertyName, isNullable, default: value }: ColumnMetadata,
): boolean => isNullable && value === undefined && rows.every((row) => row[propertyName] === null);

/**
 * Fills in missing properties of new rows with the defaults that their entity declares, so that the rows can be
 * returned without being read back.
 * @param rows changed in place
 */
function fillDefaults<Row extends ObjectLiteral>(
  { connection }: EntityManager,
  entity: EntityTarget<Row>,
  rows: readonly Partial<Row>[],
): void {
  const { columns } = connection.getMetadata(entity);
  for (const column of columns.filter(({ default: value }) => value !== undefined)) {
    for (const row of rows) {
      if (column.getEntityValue(row) !== undefined) continue;
      column.setEntityValue(row, connection.driver.prepareHydratedValue(column.default, column));
    }
  }
}
