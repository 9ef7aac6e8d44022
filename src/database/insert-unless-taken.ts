import type { EntityTarget, ObjectLiteral } from "typeorm";
import type { QueryDeepPartialEntity } from "typeorm/query-builder/QueryPartialEntity";
import { GatewayError } from "../errors";
import { fillDefaults } from "./fill-defaults";
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
  fillDefaults(tx, target, [row]);
  await tx
    .createQueryBuilder()
    .insert()
    .into(target)
    .values(row as QueryDeepPartialEntity<T>)
    .orIgnore()
    .updateEntity(false)
    .execute();
  if (!(await tx.existsBy(target, { id: row.id as never }))) throw new GatewayError("conflict", message);
}
