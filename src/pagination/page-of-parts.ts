import {
  type EntityManager,
  type FindOptionsWhere,
  In,
  type ObjectLiteral,
  type SelectQueryBuilder,
} from "typeorm";
import { indexBy } from "../common/coalesce";
import { type Page, paginate } from "./connection";

/** Max parts, within SQLite's limit for compound statements. */
export const MAX_PARTS = 500;

/** A condition that selects a part of a list; each part needs different parameter names. */
export interface Part {
  condition: string;
  parameters: ObjectLiteral;
}

/** Limits a query to parts of a list; returns null if there are no parts. */
export function inParts<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  parts: readonly Part[],
): SelectQueryBuilder<Row> | null {
  if (parts.length === 0) return null;
  const either = parts.map(({ condition }) => condition).join(" OR ");
  return query.andWhere(`(${either})`, Object.assign({}, ...parts.map(({ parameters }) => parameters)));
}

/** Returns a query on the rows that an ordered and limited query has in each part. */
export function fromParts<Row extends ObjectLiteral>(
  reader: EntityManager,
  query: SelectQueryBuilder<Row>,
  parts: readonly Part[],
  alias: string,
): SelectQueryBuilder<ObjectLiteral> {
  const pages = parts.map(
    ({ condition }, i) => `SELECT * FROM (${query.clone().andWhere(condition).getQuery()}) AS part_${i}`,
  );
  return reader
    .createQueryBuilder()
    .from(`(${pages.join(" UNION ALL ")})`, alias)
    .setParameters(Object.assign({}, query.getParameters(), ...parts.map(({ parameters }) => parameters)));
}

/** A sort order: by a column, then by ID. */
export interface Order {
  column: string;
  direction: "ASC" | "DESC";
  /** Position after which the page starts; undefined for the first page. */
  after: { at: string; id: string } | undefined;
  limit: number;
}

/**
 * Reads a page of a list that an index orders only within each part, for example the conversations of several agents: a
 * page of each part is read from the index, and these pages are merged.
 * @param query selects the list, and possibly rows outside its parts
 * @param parts disjoint parts, at most `MAX_PARTS`
 */
export async function pageOfParts<Row extends ObjectLiteral & { id: string }>(
  reader: EntityManager,
  query: SelectQueryBuilder<Row>,
  parts: readonly Part[],
  { column, direction, after, limit }: Order,
): Promise<Row[]> {
  const { alias } = query;
  if (after !== undefined) {
    const sign = direction === "ASC" ? ">" : "<";
    query.andWhere(`(${alias}.${column}, ${alias}.id) ${sign} (:at, :id)`, after);
  }
  query.orderBy(`${alias}.${column}`, direction).addOrderBy(`${alias}.id`, direction).limit(limit);
  const [first, ...others] = parts;
  if (first === undefined) return [];
  if (others.length === 0) return query.andWhere(first.condition, first.parameters).getMany();
  const page = query.clone().select(`${alias}.id`, "id").addSelect(`${alias}.${column}`, "at");
  const merged = fromParts(reader, page, parts, "merged")
    .select("merged.id", "id")
    .orderBy("merged.at", direction)
    .addOrderBy("merged.id", direction)
    .limit(limit);
  const ids = (await merged.getRawMany<{ id: string }>()).map(({ id }) => id);
  if (ids.length === 0) return [];
  // Uses a second statement, because PostgreSQL would scan a small table instead of joining it with a few rows.
  const where = { id: In(ids) } as FindOptionsWhere<Row>;
  const rows = indexBy(
    await reader.findBy<Row>(query.expressionMap.mainAlias?.target as never, where),
    ({ id }) => id,
  );
  return ids.flatMap((id) => rows.get(id) ?? []);
}

/** Like `pageOfParts`, but for a list ordered by `id`; see `paginate`. */
export async function pageByIdOfParts<Row extends ObjectLiteral & { id: string }>(
  reader: EntityManager,
  query: SelectQueryBuilder<Row>,
  parts: readonly Part[],
  { page, direction }: { page: Page; direction: "ASC" | "DESC" },
): Promise<Row[]> {
  const [first] = parts;
  if (first !== undefined && parts.length === 1)
    return paginate(query.andWhere(first.condition, first.parameters), page, direction).getMany();
  const after = page.after === undefined ? undefined : { at: page.after, id: page.after };
  return pageOfParts(reader, query, parts, { column: "id", direction, after, limit: page.limit + 1 });
}
