import type { ObjectLiteral, SelectQueryBuilder } from "typeorm";
import type { Tx } from "./unit-of-work";

/**
 * Locks the rows of a query in ID order until the transaction ends, so that transactions that lock some of
 * the same rows do not deadlock.
 * @param options.skipLocked true to skip rows locked by another transaction
 * @returns the current rows, by ID
 */
export async function lockRows<Row extends ObjectLiteral & { id: string }>(
  tx: Tx,
  query: SelectQueryBuilder<Row>,
  options?: { skipLocked: boolean },
): Promise<Map<string, Row>> {
  const rows = await tx.lock(query.orderBy(`${query.alias}.id`), options).getMany();
  return new Map(rows.map((row) => [row.id, row]));
}
