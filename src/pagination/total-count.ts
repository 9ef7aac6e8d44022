import { Field, Int, ObjectType } from "type-graphql";
import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from "typeorm";

/** Max number that lists are counted to, so that a long list costs no more than a short one. */
export const MAX_COUNT = 10_000;

@ObjectType({ simpleResolvers: true, description: "Number of items in a list." })
export class TotalCount {
  @Field(() => Int, {
    description: "Number of items in the whole list, on all pages; 10,000 if there are more.",
  })
  readonly count: number;

  @Field(() => Boolean, {
    description: "True if `count` is exact; false if the list has more than 10,000 items.",
  })
  readonly isExact: boolean;

  /** @param found number of items found, at most `MAX_COUNT` + 1 */
  constructor(found: number) {
    this.count = Math.min(found, MAX_COUNT);
    this.isExact = found <= MAX_COUNT;
  }
}

/**
 * Counts the rows that a query selects, up to `MAX_COUNT` + 1.
 * @param query selects the whole list; null if it has no items
 */
export async function countRows<T extends ObjectLiteral>(
  reader: EntityManager,
  query: SelectQueryBuilder<T> | null,
): Promise<number> {
  if (query === null) return 0;
  const [sql, parameters] = query
    .clone()
    .select("1", "one")
    .orderBy()
    .limit(MAX_COUNT + 1)
    .getQueryAndParameters();
  const [row]: { n: number | string }[] = await reader.query(
    `SELECT COUNT(*) AS n FROM (${sql}) AS counted`,
    parameters,
  );
  return Number(row?.n);
}
