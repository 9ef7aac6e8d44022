import { DAY_MS, type Timestamp, timestampOf } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import { DEPRECATED_NAMES } from "../../schema/deprecation";
import { counter } from "../../telemetry/feature-metrics";
import { PeriodCounts } from "./period-counts";

export const DEPRECATED_USES = counter(
  "gateway_deprecated_uses_total",
  "Uses of deprecated parts of the APIs by API keys, by name.",
  { name: DEPRECATED_NAMES },
);

/** One key's uses of a deprecated part of the APIs on one day. */
interface Uses {
  keyId: string;
  name: string;
  count: number;
  lastAt: Timestamp;
}

/** Counts the uses of deprecated parts of the APIs, by key and day. */
export class DeprecatedUses extends PeriodCounts<Uses> {
  constructor() {
    super(DAY_MS, writeUses);
  }

  add(keyId: string, name: string): void {
    const nowMs = Date.now();
    const uses = this.countOf(nowMs, `${keyId} ${name}`, () => ({ keyId, name, count: 0, lastAt: "" }));
    uses.count += 1;
    uses.lastAt = timestampOf(nowMs);
  }
}

/** Adds uses to the stored counts shared by all processes. */
async function writeUses(tx: Tx, day: Timestamp, uses: readonly Uses[]): Promise<void> {
  await tx.query(
    `insert into deprecated_use (key_id, day, name, uses, last_used_at)
     select value ->> 0, $1, value ->> 1, cast(value ->> 2 as integer), value ->> 3
     from ${tx.jsonElements("$2")} where true
     on conflict (key_id, name, day) do update set
       uses = deprecated_use.uses + excluded.uses,
       last_used_at = case when excluded.last_used_at < deprecated_use.last_used_at
         then deprecated_use.last_used_at else excluded.last_used_at end`,
    [day, JSON.stringify(uses.map(({ keyId, name, count, lastAt }) => [keyId, name, count, lastAt]))],
  );
}
