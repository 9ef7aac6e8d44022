import type { EntityManager, EntityTarget, ObjectLiteral } from "typeorm";

/**
 * Fills what new rows lack with the defaults that their entity declares. The rows can then be returned without reading
 * them back, which a default that only the database applies would not allow.
 * @param rows changed in place
 */
export function fillDefaults<Row extends ObjectLiteral>(
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
