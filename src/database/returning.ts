import type { EntityManager } from "typeorm";

/**
 * Runs a statement that changes one row and returns it.
 * @param statement ends with `returning …`; its parameters are `$1`, `$2`, … in the order of their first use
 */
export async function returning<T>(
  tx: EntityManager,
  statement: string,
  parameters: readonly unknown[],
): Promise<T> {
  // The blank: of a statement that begins with "INSERT " TypeORM's SQLite driver drops the rows that it returns.
  const [row] = await tx.query(` ${statement}`, [...parameters]);
  return row;
}
