import type { EntityManager } from "typeorm";
import { HOUR_MS, timestampOf } from "../../common/time";
import { placeholders } from "../../database/returning";
import type { HourlyUse } from "./hourly-use.entity";

/** Rows per statement, with four variables each: well below SQLite's limit of 32,766. */
const CHUNK = 1_000;

type Outcome = "accepted" | "refused";
type Row = Omit<HourlyUse, "key">;

/** Counts of key uses by hour, in memory until `take` removes them for writing. */
export class UseCounts {
  /** By hour since the epoch, then by key ID. */
  private readonly hours = new Map<number, Map<string, Record<Outcome, number>>>();

  get isEmpty(): boolean {
    return this.hours.size === 0;
  }

  /** Counts a use in the current hour; allocates only for the first use, because every request calls it. */
  add(keyId: string, outcome: Outcome): void {
    this.countOf(Math.floor(Date.now() / HOUR_MS), keyId)[outcome] += 1;
  }

  /** Removes and returns all counts in a fixed order, so that concurrent writers do not deadlock. */
  take(): Row[] {
    const rows = [...this.hours].flatMap(([hour, keys]) =>
      [...keys].map(([keyId, counts]) => ({ keyId, hour: timestampOf(hour * HOUR_MS), ...counts })),
    );
    this.hours.clear();
    return rows.sort((a, b) => (a.keyId + a.hour < b.keyId + b.hour ? -1 : 1));
  }

  private countOf(hour: number, keyId: string): Record<Outcome, number> {
    const keys = this.hours.get(hour) ?? new Map<string, Record<Outcome, number>>();
    if (keys.size === 0) this.hours.set(hour, keys);
    const counts = keys.get(keyId) ?? { accepted: 0, refused: 0 };
    if (counts.accepted + counts.refused === 0) keys.set(keyId, counts);
    return counts;
  }
}

/** Adds counts to those that this and other processes have written. */
export async function writeCounts(tx: EntityManager, rows: readonly Row[]): Promise<void> {
  for (let done = 0; done < rows.length; done += CHUNK) {
    const chunk = rows.slice(done, done + CHUNK);
    await tx.query(
      `insert into hourly_use (key_id, hour, accepted, refused) values ${placeholders(chunk.length, 4)}
       on conflict (key_id, hour) do update set
         accepted = hourly_use.accepted + excluded.accepted,
         refused = hourly_use.refused + excluded.refused`,
      chunk.flatMap(({ keyId, hour, accepted, refused }) => [keyId, hour, accepted, refused]),
    );
  }
}
