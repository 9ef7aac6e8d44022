import { In } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { DAY_MS, HOUR_MS, timestampOf } from "../../common/time";
import type { Database } from "../../database/database";
import { ApiKey } from "../api-keys/api-key.entity";
import { HourlyUse } from "./hourly-use.entity";
import { type KeyUsageReport, type UsageBucket, UsagePeriod } from "./usage.types";

/** Max keys of a report. */
export const MAX_KEYS = 100;

/** `digits`: length of the timestamp prefix that identifies a bucket. */
const PERIODS = {
  [UsagePeriod.last_24_hours]: { count: 24, lengthMs: HOUR_MS, digits: "2026-11-21T00".length },
  [UsagePeriod.last_30_days]: { count: 30, lengthMs: DAY_MS, digits: "2026-11-21".length },
} as const;

/** Sums of one key in one bucket; PostgreSQL's driver returns its bigints as text. */
interface Row {
  keyId: string;
  bucket: string;
  accepted: number | string;
  refused: number | string;
}

type Totals = Omit<KeyUsageReport, "apiKey">;

/** Reports key usage from the counts that `UsageRecorder` writes. */
export class UsageService {
  constructor(private readonly database: Database) {}

  /** Usage of the keys of the caller's organization in a period, most used first, at most `MAX_KEYS`. */
  async list(context: RequestContext, period: UsagePeriod): Promise<KeyUsageReport[]> {
    const organizationId = organizationOf(context);
    const { count, lengthMs, digits } = PERIODS[period];
    const now = Math.floor(Date.now() / lengthMs);
    const starts = Array.from({ length: count }, (_, i) => timestampOf((now - count + 1 + i) * lengthMs));
    return this.database.report(organizationId, async (reader) => {
      const rows = await reader
        .createQueryBuilder(HourlyUse, "used")
        .innerJoin("used.key", "key")
        .select("used.key_id", "keyId")
        .addSelect(`SUBSTR(used.hour, 1, ${digits})`, "bucket")
        .addSelect("SUM(used.accepted)", "accepted")
        .addSelect("SUM(used.refused)", "refused")
        .where("key.organization_id = :organizationId AND used.hour >= :since", {
          organizationId,
          since: starts[0],
        })
        .groupBy("used.key_id")
        .addGroupBy(`SUBSTR(used.hour, 1, ${digits})`)
        .getRawMany<Row>();
      const most = [...totalsByKey(rows, starts, digits)]
        .sort(([, a], [, b]) => b.accepted + b.refused - a.accepted - a.refused)
        .slice(0, MAX_KEYS);
      const keys = await reader.findBy(ApiKey, { id: In(most.map(([id]) => id)) });
      return most.flatMap(([id, totals]) => {
        const apiKey = keys.find((key) => key.id === id);
        return apiKey === undefined ? [] : [{ apiKey, ...totals }];
      });
    });
  }
}

/** Sums by key, with one bucket for each start. */
function totalsByKey(rows: Row[], starts: string[], digits: number): Map<string, Totals> {
  const indexOf = new Map(starts.map((start, i) => [start.slice(0, digits), i]));
  const byKey = new Map<string, Totals>();
  for (const row of rows) {
    const totals = byKey.get(row.keyId) ?? { accepted: 0, refused: 0, buckets: starts.map(emptyBucket) };
    byKey.set(row.keyId, totals);
    const bucket = totals.buckets[indexOf.get(row.bucket) ?? -1];
    for (const count of bucket === undefined ? [] : [totals, bucket]) {
      count.accepted += Number(row.accepted);
      count.refused += Number(row.refused);
    }
  }
  return byKey;
}

const emptyBucket = (start: string): UsageBucket => ({ start, accepted: 0, refused: 0 });
