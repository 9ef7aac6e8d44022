import { HOUR_MS, type Timestamp, timestampOf } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import { PeriodCounts } from "./period-counts";

/** One key's uses in one hour. */
interface Uses {
  keyId: string;
  accepted: number;
  refused: number;
  /** Time of the last accepted use. */
  lastAt: Timestamp | null;
  lastIp: string | null;
}

const unused = (keyId: string): Uses => ({ keyId, accepted: 0, refused: 0, lastAt: null, lastIp: null });

/** Counts key uses by key and hour. */
export class UseCounts extends PeriodCounts<Uses> {
  private nowMs = 0;
  private now: Timestamp = "";

  constructor() {
    super(HOUR_MS, writeUses);
  }

  /** Counts an accepted use in the current hour. Called for each request, so it allocates only on a key's first use. */
  addAccepted(keyId: string, ip: string | null): void {
    const nowMs = Date.now();
    const uses = this.countOf(nowMs, keyId, unused);
    // Formats the time only once per millisecond, because many requests arrive in the same millisecond and
    // formatting takes longer than the rest of this function.
    if (nowMs !== this.nowMs) {
      this.nowMs = nowMs;
      this.now = timestampOf(nowMs);
    }
    uses.accepted += 1;
    uses.lastAt = this.now;
    uses.lastIp = ip;
  }

  addRejected(keyId: string): void {
    this.countOf(Date.now(), keyId, unused).refused += 1;
  }
}

/** Adds uses to the stored counts shared by all processes. */
async function writeUses(tx: Tx, hour: Timestamp, uses: readonly Uses[]): Promise<void> {
  const unlessLater = (column: string) => `${column} = case
    when excluded.last_used_at is null or excluded.last_used_at < hourly_use.last_used_at
    then hourly_use.${column} else excluded.${column} end`;
  await tx.query(
    `insert into hourly_use (key_id, hour, accepted, refused, last_used_at, last_used_ip)
     select value ->> 0, $1, cast(value ->> 1 as integer), cast(value ->> 2 as integer), value ->> 3, value ->> 4
     from ${tx.jsonElements("$2")} where true
     on conflict (key_id, hour) do update set
       accepted = hourly_use.accepted + excluded.accepted,
       refused = hourly_use.refused + excluded.refused,
       ${["last_used_at", "last_used_ip"].map(unlessLater)}`,
    [
      hour,
      JSON.stringify(
        uses.map(({ keyId, accepted, refused, lastAt, lastIp }) => [
          keyId,
          accepted,
          refused,
          lastAt,
          lastIp,
        ]),
      ),
    ],
  );
}
