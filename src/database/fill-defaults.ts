import type { EntityManager, EntityTarget, ObjectLiteral } from "typeorm";

/**
 * Fills in missing properties of new rows with the defaults that their entity declares, so that the rows can be
 * returned without being read back.
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
