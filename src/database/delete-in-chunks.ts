import { type EntityTarget, type FindOptionsWhere, In, MoreThan, type ObjectLiteral } from "typeorm";
import { type ChunkOptions, inChunks } from "./chunks";
import type { Database } from "./database";

/** Tables whose rows refer to a deleted row, each with the referring column. */
export type Dependents = readonly (readonly [entity: EntityTarget<ObjectLiteral>, column: string])[];

/**
 * Deletes matching rows and, before them, their dependents, in chunks by ID; an index must provide this order.
 * @returns true when all rows are deleted
 */
export const deleteInChunks = (
  database: Database,
  entity: EntityTarget<ObjectLiteral>,
  where: FindOptionsWhere<ObjectLiteral>,
  options: ChunkOptions,
  dependents: Dependents = [],
): Promise<boolean> =>
  inChunks<string>(
    database,
    async (tx, after = "", limit) => {
      const rows = await tx.find(entity, {
        select: ["id"],
        where: { ...where, id: MoreThan(after) },
        order: { id: "ASC" },
        take: limit,
      });
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0) {
        for (const [dependent, column] of dependents) await tx.delete(dependent, { [column]: In(ids) });
        await tx.delete(entity, { id: In(ids) });
      }
      return ids.length < limit ? undefined : ids.at(-1);
    },
    options,
  );
