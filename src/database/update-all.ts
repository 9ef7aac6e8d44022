import type { EntityTarget, ObjectLiteral } from "typeorm";
import { padded, placeholders } from "./returning";
import type { Tx } from "./unit-of-work";

/**
 * Stores properties of many rows, found by ID, in one statement.
 * @param rows few enough for the parameters of a statement
 * @param names properties of text or integer columns
 */
export async function updateAll<Row extends ObjectLiteral & { id: string }>(
  tx: Tx,
  entity: EntityTarget<Row>,
  rows: readonly Row[],
  names: readonly (keyof Row & string)[],
): Promise<void> {
  if (rows.length === 0 || tx.isDryRun) return;
  const { driver } = tx.connection;
  const { tableName: table, columns: all } = tx.connection.getMetadata(entity);
  const columns = all.filter(({ propertyName }) => names.includes(propertyName));
  // PostgreSQL treats all parameters as text.
  const values = columns.map(({ databaseName: name, type }) =>
    type === "integer" ? `${name} = cast(changed.${name} as integer)` : `${name} = changed.${name}`,
  );
  const some = padded(rows);
  await tx.query(
    `with changed (id, ${columns.map(({ databaseName }) => databaseName).join(", ")}) as
       (values ${placeholders(some.length, columns.length + 1)})
     update ${table} set ${values.join(", ")} from changed where ${table}.id = changed.id`,
    some.flatMap((row) => [
      row.id,
      ...columns.map((column) => driver.preparePersistentValue(row[column.propertyName], column)),
    ]),
  );
}
