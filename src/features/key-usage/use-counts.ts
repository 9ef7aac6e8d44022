import type { EntityManager } from "typeorm";
import { timestampOf } from "../../common/time";
import type { HourlyUse } from "./hourly-use.entity";

const HOUR_MS = 60 * 60 * 1000;
/** Rows of one statement: well below SQLite's 32,766 variables, four a row. */
const CHUNK = 1_000;

type Outcome = "accepted" | "refused";
type Row = Omit<HourlyUse, "key">;

/** Uses of keys by the hour, as counted in memory since they were last taken out to be written. */
export class UseCounts {
  /** By the number of the hour, then by key. */
  private readonly hours = new Map<number, Map<string, Record<Outcome, number>>>();

  get isEmpty(): boolean {
    return this.hours.size === 0;
  }

  /** Counts a use now. On the path of every request, so it makes nothing new but for the first use of an hour. */
  add(keyId: string, outcome: Outcome): void {
    this.countOf(Math.floor(Date.now() / HOUR_MS), keyId)[outcome] += 1;
  }

  /** Takes all out, in one order everywhere, so that processes that write at the same time do not deadlock. */
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

/** Adds counts to what this and other processes have written. */
export async function writeCounts(tx: EntityManager, rows: readonly Row[]): Promise<void> {
  for (let done = 0; done < rows.length; done += CHUNK) {
    const chunk = rows.slice(done, done + CHUNK);
    const places = chunk.map((_, i) => `($${4 * i + 1}, $${4 * i + 2}, $${4 * i + 3}, $${4 * i + 4})`);
    await tx.query(
      `insert into hourly_use (key_id, hour, accepted, refused) values ${places.join(", ")}
       on conflict (key_id, hour) do update set
         accepted = hourly_use.accepted + excluded.accepted,
         refused = hourly_use.refused + excluded.refused`,
      chunk.flatMap(({ keyId, hour, accepted, refused }) => [keyId, hour, accepted, refused]),
    );
  }
}
