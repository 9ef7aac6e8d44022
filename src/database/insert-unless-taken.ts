import type { EntityTarget, ObjectLiteral } from "typeorm";
import { GatewayError } from "../errors";
import { insertAll } from "./insert-all";
import type { Tx } from "./unit-of-work";

/**
 * Inserts a row unless it violates a unique index; the index decides, so two concurrent inserts cannot both succeed.
 * @param row receives the defaults of its columns
 * @throws GatewayError `conflict` with the given message
 */
export async function insertUnlessTaken<T extends ObjectLiteral & { id: string }>(
  tx: Tx,
  target: EntityTarget<T>,
  row: T,
  message: string,
): Promise<void> {
  await insertAll(tx, target, [row], { orIgnore: true });
  if (!(await tx.existsBy(target, { id: row.id as never }))) throw new GatewayError("conflict", message);
}
