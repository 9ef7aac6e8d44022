import type { EntityTarget, ObjectLiteral } from "typeorm";
import { GatewayError } from "../errors";
import { insertAll } from "./insert-all";
import type { Tx } from "./unit-of-work";

/**
 * Inserts a row and adds its defaults, unless it violates a unique index, which concurrent inserts cannot bypass.
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
