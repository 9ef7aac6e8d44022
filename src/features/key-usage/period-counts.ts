import { chunked } from "../../common/chunked";
import { getOrCreate } from "../../common/get-or-create";
import { type Timestamp, timestampOf } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";

/**
 * Max rows per batch. A batch is one transaction and blocks other writers for about 20 ms on SQLite, where
 * smaller batches would write most database pages several times.
 */
const MAX_ROWS = 5_000;

export type WriteBatch = (tx: Tx) => Promise<void>;

/**
 * Sorts counts by ID, so that neighboring rows share database pages. All processes write rows in this order, so a
 * process waits only for a transaction that writes the same row, and concurrent transactions do not deadlock.
 */
export const sortedById = <Count>(counts: ReadonlyMap<string, Count>): [id: string, Count][] =>
  [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

/** Counts by period and ID, held in memory until `take` removes them. */
export class PeriodCounts<Count> {
  /** Counts by period since the epoch, then by ID. */
  private readonly periods = new Map<number, Map<string, Count>>();

  /**
   * @param write adds counts of one period to the stored counts, in one statement
   * @param perBatch max counts per batch, fewer if a count has several rows
   */
  constructor(
    private readonly lengthMs: number,
    private readonly write: (tx: Tx, start: Timestamp, counts: readonly Count[]) => Promise<void>,
    private readonly perBatch = MAX_ROWS,
  ) {}

  get isEmpty(): boolean {
    return this.periods.size === 0;
  }

  /** Removes all counts, and returns functions that write them in batches. */
  take(): WriteBatch[] {
    const batches = [...this.periods].flatMap(([period, byId]) => {
      const counts = sortedById(byId).map(([, count]) => count);
      const start = timestampOf(period * this.lengthMs);
      return chunked(counts, this.perBatch).map((batch) => (tx: Tx) => this.write(tx, start, batch));
    });
    this.periods.clear();
    return batches;
  }

  /** Returns the count for an ID in the current period; creates the count with `zero` if it is missing. */
  protected countOf(nowMs: number, id: string, zero: (id: string) => Count): Count {
    const counts = getOrCreate(this.periods, Math.floor(nowMs / this.lengthMs), () => new Map());
    return getOrCreate(counts, id, zero);
  }
}
