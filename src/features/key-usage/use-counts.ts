import { HOUR_MS, type Timestamp, timestampOf } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";

/**
 * Max keys per batch. Other writers wait for a batch, which is one transaction: about 20 ms on SQLite, where smaller
 * batches would write most pages several times.
 */
const MAX_KEYS = 5_000;

/** Uses of one key in one hour. */
interface Uses {
  accepted: number;
  refused: number;
  /** Of the last accepted use. */
  lastAt: Timestamp | null;
  lastIp: string | null;
}

/** Uses of some keys in one hour, written by one statement. */
export interface HourOfUses {
  hour: Timestamp;
  /** Sorted by key ID: neighbors share database pages, and concurrent writers do not deadlock. */
  keys: readonly (readonly [keyId: string, uses: Uses])[];
}

/** Uses of keys by hour, held in memory until `take` removes them. */
export class UseCounts {
  /** By hour since the epoch, then by key ID. */
  private readonly hours = new Map<number, Map<string, Uses>>();
  private nowMs = 0;
  private now: Timestamp = "";

  get isEmpty(): boolean {
    return this.hours.size === 0;
  }

  /** Counts an accepted use now; allocates only for a key's first use, because every request calls it. */
  addAccepted(keyId: string, ip: string | null): void {
    const nowMs = Date.now();
    const uses = this.usesOf(nowMs, keyId);
    // Many requests share a millisecond, and formatting a time takes longer than everything else here.
    if (nowMs !== this.nowMs) {
      this.nowMs = nowMs;
      this.now = timestampOf(nowMs);
    }
    uses.accepted += 1;
    uses.lastAt = this.now;
    uses.lastIp = ip;
  }

  /** Counts a rejected use now. */
  addRejected(keyId: string): void {
    this.usesOf(Date.now(), keyId).refused += 1;
  }

  /** Removes and returns all uses, in batches. */
  take(): HourOfUses[] {
    const batches = [...this.hours].flatMap(([hour, uses]) => {
      const keys = [...uses].sort(([a], [b]) => (a < b ? -1 : 1));
      return Array.from({ length: Math.ceil(keys.length / MAX_KEYS) }, (_, i) => ({
        hour: timestampOf(hour * HOUR_MS),
        keys: keys.slice(i * MAX_KEYS, (i + 1) * MAX_KEYS),
      }));
    });
    this.hours.clear();
    return batches;
  }

  private usesOf(nowMs: number, keyId: string): Uses {
    const hour = Math.floor(nowMs / HOUR_MS);
    let keys = this.hours.get(hour);
    if (keys === undefined) {
      keys = new Map();
      this.hours.set(hour, keys);
    }
    let uses = keys.get(keyId);
    if (uses === undefined) {
      uses = { accepted: 0, refused: 0, lastAt: null, lastIp: null };
      keys.set(keyId, uses);
    }
    return uses;
  }
}

/** Adds uses to the stored counts, which all processes share. */
export async function writeUses(tx: Tx, { hour, keys }: HourOfUses): Promise<void> {
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
        keys.map(([id, { accepted, refused, lastAt, lastIp }]) => [id, accepted, refused, lastAt, lastIp]),
      ),
    ],
  );
}
