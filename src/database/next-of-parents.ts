import { type EntityTarget, type FindOptionsWhere, In, MoreThan, type ObjectLiteral } from "typeorm";
import type { Tx } from "./unit-of-work";

/** Describes the rows to find. */
interface NextRows<Row, Key extends keyof Row & string> {
  /** The column with a row's parent ID, and the column that orders a parent's rows; an index must start with both. */
  index: readonly [parent: Key, order: Key];
  parents: readonly string[];
  where?: FindOptionsWhere<Row>;
  /** The columns to find, including the index; all columns by default. */
  select?: (keyof Row)[];
  /** The last row of the previous call; undefined for the first rows. */
  after: Pick<Row, Key> | undefined;
  limit: number;
}

/** Finds the next rows of several parents, parent by parent: in the order of IDs, SQLite would sort all rows. */
export async function nextOfParents<Row extends ObjectLiteral, Key extends keyof Row & string>(
  tx: Tx,
  entity: EntityTarget<Row>,
  { index: [parent, order], parents, where, select, after, limit }: NextRows<Row, Key>,
): Promise<Row[]> {
  const find = (condition: object, take: number) =>
    tx.find(entity, {
      ...(select !== undefined && { select }),
      where: { ...where, ...condition } as FindOptionsWhere<Row>,
      order: { [parent]: "ASC", [order]: "ASC" } as object,
      take,
    });
  if (after === undefined) return find({ [parent]: In([...parents]) }, limit);
  const rows = await find({ [parent]: after[parent], [order]: MoreThan(after[order]) }, limit);
  const others = parents.filter((each) => each > String(after[parent]));
  if (rows.length === limit || others.length === 0) return rows;
  return [...rows, ...(await find({ [parent]: In(others) }, limit - rows.length))];
}
