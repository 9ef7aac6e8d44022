import { type EntityManager, In, type SelectQueryBuilder } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { DAY_MS, HOUR_MS, type Timestamp, timestamp, timestampOf } from "../../common/time";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import { DEPRECATED_NAMES, deprecationOf } from "../../schema/deprecation";
import { ApiKey } from "../api-keys/api-key.entity";
import { IN_STATE } from "../api-keys/key-search";
import { AuditEntry } from "../audit/audit-entry.entity";
import { DeprecatedUse } from "./deprecated-use.entity";
import { HourlyUse } from "./hourly-use.entity";
import { keyUsageActions } from "./key-usage.audit";
import { reportOperations } from "./operation-report";
import {
  type DeprecatedUseArgs,
  type DeprecatedUseReport,
  KeyRefusal,
  type KeyUsageArgs,
  type KeyUsageReport,
  type OperationUseArgs,
  type OperationUseOfKey,
  type UsageBucket,
  UsagePeriod,
  type UsageTotals,
} from "./usage.types";

/** `digits`: length of the timestamp prefix that identifies a bucket. */
const PERIODS = {
  [UsagePeriod.last_24_hours]: { count: 24, lengthMs: HOUR_MS, digits: "2026-11-21T00".length },
  [UsagePeriod.last_30_days]: { count: 30, lengthMs: DAY_MS, digits: "2026-11-21".length },
} as const;

/** Sums for one key, or for one key in one bucket; PostgreSQL's driver returns bigints as strings. */
interface Row {
  keyId: string;
  bucket: string;
  accepted: number | string;
  refused: number | string;
}

/** One key's uses of a deprecated part of the APIs; PostgreSQL's driver returns the sum as a string. */
interface DeprecatedRow {
  keyId: string;
  name: string;
  uses: number | string;
  lastUsedAt: Timestamp;
}

/** Returns the start times of a period's buckets, oldest first. */
function startsOf(period: UsagePeriod): string[] {
  const { count, lengthMs } = PERIODS[period];
  const now = Math.floor(Date.now() / lengthMs);
  return Array.from({ length: count }, (_, i) => timestampOf((now - count + 1 + i) * lengthMs));
}

/** Reports key usage from the counts written by `UsageRecorder`. */
export class UsageService {
  constructor(private readonly database: Database) {}

  /** Returns the usage of each key in the caller's organization during a period, most-used keys first. */
  async list(
    context: RequestContext,
    { period, first, keyId, outcome }: KeyUsageArgs,
  ): Promise<KeyUsageReport[]> {
    const organizationId = organizationOf(context);
    if (keyId != null && !isUuid(keyId)) return [];
    const starts = startsOf(period);
    return this.database.report(organizationId, async (reader) => {
      const mostUsed = sums(reader, organizationId, starts)
        .addSelect("used.key_id", "keyId")
        .groupBy("used.key_id")
        .having(`SUM(${outcome == null ? "used.accepted + used.refused" : `used.${outcome}`}) > 0`)
        .orderBy(outcome == null ? "SUM(used.accepted + used.refused)" : `SUM(used.${outcome})`, "DESC")
        .addOrderBy("used.key_id", "DESC")
        .limit(first);
      if (keyId != null) mostUsed.andWhere("used.key_id = :keyId", { keyId });
      const ids = (await mostUsed.getRawMany<Row>()).map((row) => row.keyId);
      if (ids.length === 0) return [];
      const { digits } = PERIODS[period];
      const rows = await sums(reader, organizationId, starts)
        .addSelect("used.key_id", "keyId")
        .addSelect(`SUBSTR(used.hour, 1, ${digits})`, "bucket")
        .andWhere("used.key_id IN (:...ids)", { ids })
        .groupBy("used.key_id")
        .addGroupBy(`SUBSTR(used.hour, 1, ${digits})`)
        .getRawMany<Row>();
      const keys = await reader.findBy(ApiKey, { id: In(ids) });
      const rejections = await lastRejections(reader, ids);
      return ids.flatMap((id) => {
        const apiKey = keys.find((key) => key.id === id);
        const totals = totalsOf(
          rows.filter((row) => row.keyId === id),
          starts,
          digits,
        );
        const lastRefusal = totals.refused > 0 ? (rejections.get(id) ?? null) : null;
        return apiKey === undefined ? [] : [{ apiKey, ...totals, lastRefusal }];
      });
    });
  }

  /** Returns the total usage of all keys in the caller's organization during a period. */
  async totals(context: RequestContext, period: UsagePeriod): Promise<UsageTotals> {
    const organizationId = organizationOf(context);
    const starts = startsOf(period);
    const { digits } = PERIODS[period];
    const rows = await this.database.report(organizationId, (reader) =>
      sums(reader, organizationId, starts)
        .addSelect(`SUBSTR(used.hour, 1, ${digits})`, "bucket")
        .groupBy(`SUBSTR(used.hour, 1, ${digits})`)
        .getRawMany<Row>(),
    );
    return totalsOf(rows, starts, digits);
  }

  /** Reports which keys in the caller's organization used deprecated parts of the APIs. */
  async deprecated(
    context: RequestContext,
    { first, keyId, state }: DeprecatedUseArgs,
  ): Promise<DeprecatedUseReport> {
    const organizationId = organizationOf(context);
    if (DEPRECATED_NAMES.length === 0 || (keyId != null && !isUuid(keyId)))
      return { nodes: [], totalCount: 0, keyCount: 0 };
    return this.database.report(organizationId, async (reader) => {
      const [since] = startsOf(UsagePeriod.last_30_days);
      const uses = reader
        .createQueryBuilder(DeprecatedUse, "used")
        .innerJoin("used.key", "key")
        .where("key.organization_id = :organizationId AND used.day >= :since", { organizationId, since })
        // Excludes parts of the APIs that have been removed, which are no longer declared as deprecated.
        .andWhere("used.name IN (:...names)", { names: DEPRECATED_NAMES });
      if (keyId != null) uses.andWhere("used.key_id = :keyId", { keyId });
      if (state != null) uses.andWhere(IN_STATE[state], { now: timestamp() });
      const rows = await uses
        .clone()
        .select("used.key_id", "keyId")
        .addSelect("used.name", "name")
        .addSelect("SUM(used.uses)", "uses")
        .addSelect("MAX(used.last_used_at)", "lastUsedAt")
        .groupBy("used.key_id")
        .addGroupBy("used.name")
        .orderBy("MAX(used.last_used_at)", "DESC")
        .addOrderBy("used.key_id", "DESC")
        .addOrderBy("used.name")
        .limit(first)
        .getRawMany<DeprecatedRow>();
      const counts = await uses
        .select("COUNT(DISTINCT used.key_id || ' ' || used.name)", "totalCount")
        .addSelect("COUNT(DISTINCT used.key_id)", "keyCount")
        .getRawOne();
      const keys = await reader.findBy(ApiKey, { id: In(rows.map((row) => row.keyId)) });
      const nodes = rows.flatMap(({ keyId: id, name, uses, lastUsedAt }) => {
        const apiKey = keys.find((key) => key.id === id);
        const removalAt = deprecationOf(name)?.sunset.toISOString();
        return apiKey === undefined || removalAt === undefined
          ? []
          : [{ apiKey, name, uses: Number(uses), lastUsedAt, removalAt }];
      });
      return { nodes, totalCount: Number(counts?.totalCount), keyCount: Number(counts?.keyCount) };
    });
  }

  /** Reports the operations that a key in the caller's organization was used for. */
  async operations(
    context: RequestContext,
    { keyId, first }: OperationUseArgs,
  ): Promise<OperationUseOfKey[]> {
    const organizationId = organizationOf(context);
    if (!isUuid(keyId)) return [];
    const [since = ""] = startsOf(UsagePeriod.last_30_days);
    return this.database.report(organizationId, (reader) =>
      reportOperations(reader, { organizationId, keyId, since, first }),
    );
  }
}

/** Sums the uses of an organization's keys since the first bucket's start; the caller adds grouping. */
const sums = (
  reader: EntityManager,
  organizationId: string,
  starts: readonly string[],
): SelectQueryBuilder<HourlyUse> =>
  reader
    .createQueryBuilder(HourlyUse, "used")
    .innerJoin("used.key", "key")
    .select("SUM(used.accepted)", "accepted")
    .addSelect("SUM(used.refused)", "refused")
    .where("key.organization_id = :organizationId AND used.hour >= :since", {
      organizationId,
      since: starts[0],
    });

/** Returns the reason for each key's last rejection, by ID. Reads only the newest entry per key. */
async function lastRejections(
  reader: EntityManager,
  ids: readonly string[],
): Promise<Map<string, KeyRefusal>> {
  const { api_key_address_refused: address, api_key_refused: inactive } = keyUsageActions;
  const newest = reader
    .createQueryBuilder(AuditEntry, "entry")
    .select("entry.action")
    .where("entry.organization_id = key.organization_id AND entry.target_id = key.id")
    .andWhere("entry.action IN (:...actions)", { actions: [address, inactive] })
    .orderBy("entry.id", "DESC")
    .limit(1);
  const rows = await reader
    .createQueryBuilder(ApiKey, "key")
    .select("key.id", "id")
    .addSelect(`(${newest.getQuery()})`, "action")
    .where("key.id IN (:...ids)", { ids })
    .setParameters(newest.getParameters())
    .getRawMany<{ id: string; action: string | null }>();
  return new Map(
    rows.flatMap(({ id, action }) =>
      action === null ? [] : [[id, action === address ? KeyRefusal.address : KeyRefusal.inactive] as const],
    ),
  );
}

/** Returns totals with one bucket per start time. */
function totalsOf(rows: readonly Row[], starts: readonly string[], digits: number): UsageTotals {
  const buckets = starts.map(emptyBucket);
  const totals = { accepted: 0, refused: 0, buckets };
  const indexOf = new Map(starts.map((start, i) => [start.slice(0, digits), i]));
  for (const row of rows) {
    const bucket = buckets[indexOf.get(row.bucket) ?? -1];
    for (const count of bucket === undefined ? [totals] : [totals, bucket]) {
      count.accepted += Number(row.accepted);
      count.refused += Number(row.refused);
    }
  }
  return totals;
}

const emptyBucket = (start: string): UsageBucket => ({ start, accepted: 0, refused: 0 });
