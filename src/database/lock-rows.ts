import type { ObjectLiteral, SelectQueryBuilder } from "typeorm";
import type { Tx } from "./unit-of-work";

/**
 * Locks the rows of a query in ID order until the transaction ends, so that transactions that share rows do not
 * deadlock.
 * @returns the current rows, by ID
 */
export async function lockRows<Row extends ObjectLiteral & { id: string }>(
  tx: Tx,
  query: SelectQueryBuilder<Row>,
): Promise<Map<string, Row>> {
  const rows = await tx.lock(query.orderBy(`${query.alias}.id`)).getMany();
  return new Map(rows.map((row) => [row.id, row]));
}
