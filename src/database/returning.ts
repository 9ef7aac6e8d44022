import type { EntityManager } from "typeorm";

/**
 * Runs a statement that changes rows and returns them, in no order that one could rely on.
 * @param statement ends with `returning …`; its parameters are `$1`, `$2`, … in the order of their first use
 */
export function allReturning<T>(
  tx: EntityManager,
  statement: string,
  parameters: readonly unknown[],
): Promise<T[]> {
  // The blank: of a statement that begins with "INSERT " TypeORM's SQLite driver drops the rows that it returns.
  return tx.query(` ${statement}`, [...parameters]);
}

/** As `allReturning`, for a statement that changes one row. */
export async function returning<T>(
  tx: EntityManager,
  statement: string,
  parameters: readonly unknown[],
): Promise<T> {
  const [row] = await allReturning<T>(tx, statement, parameters);
  return row as T;
}

/** `($1, $2), ($3, $4)`: the VALUES of an insert of so many rows and columns. */
export function placeholders(rows: number, columns: number): string {
  const row = (first: number) =>
    Array.from({ length: columns }, (_, column) => `$${first + column}`).join(", ");
  return Array.from({ length: rows }, (_, i) => `(${row(i * columns + 1)})`).join(", ");
}
