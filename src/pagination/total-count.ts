import type { GraphQLField } from "graphql";
import { Extensions } from "type-graphql";
import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from "typeorm";

/** Max total of a list; items beyond it are not counted, to bound the cost. */
export const MAX_COUNT = 10_000;

/** Marks a field that needs the total of a list; all such fields in a list count as one report. */
export const Total = (): MethodDecorator & PropertyDecorator => Extensions({ isReport: true, isTotal: true });

/** True if a field is marked with `@Total`. */
export const isTotal = (field: GraphQLField<unknown, unknown> | undefined): boolean =>
  field?.extensions.isTotal === true;

/** Counts the rows of a whole list, up to `MAX_COUNT` + 1; 0 for null. */
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
