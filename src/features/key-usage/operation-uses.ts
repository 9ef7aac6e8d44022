import { getOrCreate } from "../../common/get-or-create";
import { DAY_MS, type Timestamp, timestampOf } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import { PeriodCounts } from "./period-counts";

/**
 * Max combinations of operation, address and outcome that are counted separately for a key, per write in memory and per
 * day in the database. The write that reaches the daily limit can exceed it by as many again.
 */
const MAX_COMBINATIONS = 50;

/** Max keys per batch, which may have many rows each; a full batch blocks other writers for about 20 ms on SQLite. */
const MAX_KEYS = 25;

/** One key's uses on one day. */
interface KeyUses {
  keyId: string;
  combinations: Map<string, Uses>;
}

interface Uses {
  operation: string;
  ip: string;
  outcome: string;
  count: number;
  lastMs: number;
}

const unused = (keyId: string): KeyUses => ({ keyId, combinations: new Map() });

/** Counts the uses of keys by day, operation, address and outcome. */
export class OperationUses extends PeriodCounts<KeyUses> {
  constructor() {
    super(DAY_MS, writeUses, MAX_KEYS);
  }

  /** Counts a use. Called for each request, so it stores the time as a number, which is cheaper than formatting it. */
  add(keyId: string, operation: string, ip: string, outcome: string): void {
    const nowMs = Date.now();
    const { combinations } = this.countOf(nowMs, keyId, unused);
    const id = `${operation} ${ip} ${outcome}`;
    const isOther = combinations.size >= MAX_COMBINATIONS && !combinations.has(id);
    const uses = isOther
      ? getOrCreate(combinations, "", () => ({ operation: "", ip: "", outcome: "", count: 0, lastMs: 0 }))
      : getOrCreate(combinations, id, () => ({ operation, ip, outcome, count: 0, lastMs: 0 }));
    uses.count += 1;
    uses.lastMs = nowMs;
  }
}

/** Adds uses to the stored counts shared by all processes. */
async function writeUses(tx: Tx, day: Timestamp, keys: readonly KeyUses[]): Promise<void> {
  const rows = keys.flatMap(({ keyId, combinations }) =>
    [...combinations.values()].map(({ operation, ip, outcome, count, lastMs }) => [
      keyId,
      operation,
      ip,
      outcome,
      count,
      timestampOf(lastMs),
    ]),
  );
  const unlessOther = (column: string) => `case when is_other then '' else ${column} end`;
  await tx.query(
    `insert into operation_use (key_id, day, operation, ip, outcome, uses, last_used_at)
     with given as (
       select value ->> 0 as key_id, cast($1 as text) as day, value ->> 1 as operation, value ->> 2 as ip,
         value ->> 3 as outcome, cast(value ->> 4 as integer) as uses, value ->> 5 as last_used_at
       from ${tx.jsonElements("$2")}
     ), checked as materialized (
       select given.*, coalesce((
         select false from operation_use as known
         where known.key_id = given.key_id and known.day = given.day and known.operation = given.operation
           and known.ip = given.ip and known.outcome = given.outcome
       ), (
         select count(*) >= ${MAX_COMBINATIONS} from operation_use as stored
         where stored.key_id = given.key_id and stored.day = given.day
       )) as is_other
       from given
     )
     select key_id, day, ${["operation", "ip", "outcome"].map(unlessOther)}, sum(uses), max(last_used_at)
     from checked
     group by 1, 2, 3, 4, 5
     order by 1, 2, 3, 4, 5
     on conflict (key_id, day, operation, ip, outcome) do update set
       uses = operation_use.uses + excluded.uses,
       last_used_at = case when excluded.last_used_at < operation_use.last_used_at
         then operation_use.last_used_at else excluded.last_used_at end`,
    [day, JSON.stringify(rows)],
  );
}
