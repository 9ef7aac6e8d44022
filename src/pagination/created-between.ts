import type { ObjectLiteral, SelectQueryBuilder } from "typeorm";
import { HOUR_MS, timestampOf } from "../common/time";
import { leastUuidAt } from "../common/uuid";

/** Max time by which a row's ID precedes the row's own time (ms). */
const LEAD_MS = 1_000;
/** Max time by which a row's ID follows its own time (ms); rows may wait, and clocks may be set back. */
const LAG_MS = HOUR_MS;

/** Limits a query to rows created in a period; bounds on their UUIDv7 IDs let an index skip all other rows. */
export function createdBetween<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  { since, until }: { since?: Date | null | undefined; until?: Date | null | undefined },
): SelectQueryBuilder<Row> {
  const { alias } = query;
  if (since != null) {
    query.andWhere(`${alias}.created_at >= :since`, { since: timestampOf(+since) });
    query.andWhere(`${alias}.id >= :firstId`, { firstId: leastUuidAt(+since - LEAD_MS) });
  }
  if (until != null) {
    query.andWhere(`${alias}.created_at < :until`, { until: timestampOf(+until) });
    query.andWhere(`${alias}.id < :lastId`, { lastId: leastUuidAt(+until + LAG_MS) });
  }
  return query;
}
