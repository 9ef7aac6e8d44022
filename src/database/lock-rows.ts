import type { ObjectLiteral, SelectQueryBuilder } from "typeorm";
import type { Tx } from "./unit-of-work";

/**
 * Locks the rows of a query until the transaction ends, in the order of their IDs, so that transactions which share rows
 * do not deadlock.
 * @returns them as the last change left them, by ID
 */
export async function lockRows<Row extends ObjectLiteral & { id: string }>(
  tx: Tx,
  query: SelectQueryBuilder<Row>,
): Promise<Map<string, Row>> {
  const rows = await tx.lock(query.orderBy(`${query.alias}.id`)).getMany();
  return new Map(rows.map((row) => [row.id, row]));
}
