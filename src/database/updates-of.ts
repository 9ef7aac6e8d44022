import type { EntityTarget, ObjectLiteral } from "typeorm";
import type { Change } from "./change-together";
import { inStatements, padded, placeholders } from "./returning";
import type { Tx } from "./unit-of-work";

/** Returns the statements that update text or integer columns of many rows by ID, for `changeTogether`. */
export function updatesOf<Row extends ObjectLiteral & { id: string }>(
  tx: Tx,
  entity: EntityTarget<Row>,
  rows: readonly Row[],
  names: readonly (keyof Row & string)[],
): Change[] {
  const { driver } = tx.connection;
  const { tableName: table, columns: all } = tx.connection.getMetadata(entity);
  const columns = all.filter(({ propertyName }) => names.includes(propertyName));
  // PostgreSQL treats all parameters as text.
  const values = columns.map(({ databaseName: name, type }) =>
    type === "integer" ? `${name} = cast(changed.${name} as integer)` : `${name} = changed.${name}`,
  );
  return inStatements(rows, columns.length + 1).map((part) => {
    const some = padded(part);
    const sql = `with changed (id, ${columns.map(({ databaseName }) => databaseName).join(", ")}) as
       (values ${placeholders(some.length, columns.length + 1)})
     update ${table} set ${values.join(", ")} from changed where ${table}.id = changed.id`;
    const parameters = some.flatMap((row) => [
      row.id,
      ...columns.map((column) => driver.preparePersistentValue(row[column.propertyName], column)),
    ]);
    return { sql, parameters };
  });
}
