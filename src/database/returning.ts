import { chunked } from "../common/chunked";
import type { Tx } from "./unit-of-work";

/**
 * Runs a statement that changes rows, and returns the changed rows in no guaranteed order.
 * @param statement ends with `returning …`; parameters are numbered `$1`, `$2`, … in the order of their first use
 * @returns an empty list in a dry run
 */
export async function allReturning<T>(
  tx: Tx,
  statement: string,
  parameters: readonly unknown[],
): Promise<T[]> {
  if (tx.isDryRun) return [];
  // TypeORM's SQLite driver drops the returned rows of a statement that starts with "INSERT ", hence the leading space.
  const result = await tx.query(` ${statement}`, [...parameters]);
  // TypeORM's PostgreSQL driver returns the rows of an UPDATE or DELETE together with their count.
  return Array.isArray(result[0]) ? result[0] : result;
}

/** Like `allReturning`, but returns one row. */
export async function returning<T>(tx: Tx, statement: string, parameters: readonly unknown[]): Promise<T> {
  const [row] = await allReturning<T>(tx, statement, parameters);
  return row as T;
}

/** Pads a list to a power of two with its last item, so that statements have few variants to keep prepared. */
export function padded<T>(items: readonly T[]): T[] {
  const last = items.at(-1);
  const length = 2 ** Math.ceil(Math.log2(items.length));
  return last === undefined ? [] : [...items, ...Array<T>(length - items.length).fill(last)];
}

/** Max parameters of a statement; SQLite allows 32,766 and PostgreSQL 65,535. */
const MAX_PARAMETERS = 30_000;

/** Splits rows of `columns` parameters each into parts that fit into one statement, even if padded. */
export function inStatements<Row>(rows: readonly Row[], columns: number): Row[][] {
  const length = 2 ** Math.floor(Math.log2(MAX_PARAMETERS / columns));
  return chunked(rows, length);
}

/** Returns the VALUES placeholders of rows, such as `($1, $2), ($3, $4)`, numbered from `first`. */
export function placeholders(rows: number, columns: number, first = 1): string {
  const row = (start: number) =>
    Array.from({ length: columns }, (_, column) => `$${start + column}`).join(", ");
  return Array.from({ length: rows }, (_, i) => `(${row(i * columns + first)})`).join(", ");
}
