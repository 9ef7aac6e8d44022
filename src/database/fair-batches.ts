import { type Span, trace } from "@opentelemetry/api";
import { FairQueue } from "../common/fair-queue";
import { groupBy } from "../common/group-by";
import { onceQuiet } from "../common/once-quiet";
import { withinSpan, withSharedSpan } from "../common/spans";
import type { Tx } from "./unit-of-work";

/** Stop queueing rows behind a batch that runs longer than this (ms). */
export const MAX_WAIT_MS = 100;

/** The value of a row, or the Error that rejects it; a rejected row is not stored. */
export type Outcome<T> = T | Error;

/** Options for composing and storing batches. */
export interface FairBatchesOptions<Row, T> {
  /** Returns a row's organization. */
  ownerOf(row: Row): string;
  /** Returns a row's cost, 0 by default. A batch takes at least one row, and more while its total cost is below `maxCost`. */
  costOf?(row: Row): number;
  maxCost?: number;
  /** Max rows per batch. */
  maxRows: number;
  /** Runs a unit of work, which takes its rows when it starts; `owner` is set when rows are retried. */
  write(unit: (tx: Tx) => Promise<void>, owner?: string): Promise<void>;
  /** Stores rows in order. */
  store(tx: Tx, rows: readonly Row[]): Promise<Outcome<T>[]>;
  /** True if a failed batch has stored nothing, so that its rows may be retried. */
  mayRetry(error: unknown): boolean;
  /** True if a batch failed while waiting for a lock; a batch of a single organization may wait longer. */
  waitedForLock(error: unknown): boolean;
  /** Receives the number of rows in each batch. */
  coalesced(rows: number): void;
}

interface Waiting<Row, T> {
  row: Row;
  caller: Span | undefined;
  resolve(value: T): void;
  reject(error: unknown): void;
}

/**
 * Batches rows, with one transaction per batch; organizations take turns. A batch contains the rows that arrived while
 * the previous batch ran. If it fails, the rows of each organization are retried together, then one by one.
 */
export class FairBatches<Row, T> {
  private readonly waiting = new FairQueue<Waiting<Row, T>>();
  private running = 0;
  private received = 0;
  private isScheduled = false;

  constructor(private readonly options: FairBatchesOptions<Row, T>) {}

  /** Stores a row and returns its value, once it is durable. */
  add(row: Row): Promise<T> {
    return new Promise((resolve, reject) => {
      this.received += 1;
      this.waiting.add(this.options.ownerOf(row), { row, caller: trace.getActiveSpan(), resolve, reject });
      if (this.running === 0) this.schedule();
    });
  }

  /** Starts a batch at the end of this event-loop tick, or a few ticks later while rows keep arriving. */
  private schedule(): void {
    if (this.isScheduled || this.waiting.isEmpty) return;
    this.isScheduled = true;
    onceQuiet(
      () => this.received,
      () => {
        this.isScheduled = false;
        // Outside this span, a batch scheduled by the previous batch would belong to that batch's span.
        void withinSpan(this.waiting.first?.caller, () => this.run());
      },
    );
  }

  private async run(): Promise<void> {
    this.running += 1;
    let holdsOthers = true;
    const letOthers = () => {
      if (!holdsOthers) return;
      holdsOthers = false;
      this.running -= 1;
      if (this.running === 0) this.schedule();
    };
    let timer: NodeJS.Timeout | undefined;
    try {
      await this.write(() => {
        timer = setTimeout(letOthers, MAX_WAIT_MS);
        return this.take();
      });
    } finally {
      clearTimeout(timer);
      letOthers();
    }
  }

  /** Takes the rows of the next batch. */
  private take(): Waiting<Row, T>[] {
    const { costOf = () => 0, maxCost = 1, maxRows } = this.options;
    const taken: Waiting<Row, T>[] = [];
    for (let cost = 0; taken.length < maxRows && (taken.length === 0 || cost < maxCost); ) {
      const next = this.waiting.next();
      if (next === undefined) break;
      taken.push(next);
      cost += costOf(next.row);
    }
    return taken;
  }

  /** Stores the rows that `take` returns once the unit starts, and resolves their callers; never rejects. */
  private async write(take: () => readonly Waiting<Row, T>[], owner?: string): Promise<void> {
    const { write, store, mayRetry, waitedForLock, coalesced, ownerOf } = this.options;
    let taken: readonly Waiting<Row, T>[] | undefined;
    let outcomes: Outcome<T>[] = [];
    try {
      await write(async (tx) => {
        taken ??= take();
        if (taken.length === 0) return;
        coalesced(taken.length);
        const rows = taken.map(({ row }) => row);
        const callers = taken.flatMap(({ caller }) => caller ?? []);
        outcomes = await withSharedSpan("batch of inserts", callers, () => store(tx, rows));
      }, owner);
      taken?.forEach(({ resolve, reject }, i) => {
        const outcome = outcomes[i] as Outcome<T>;
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      });
    } catch (error) {
      const failed = taken ?? take();
      const byOwner = [...groupBy(failed, ({ row }) => ownerOf(row))];
      const isShared = owner === undefined && (byOwner.length > 1 || waitedForLock(error));
      if (!mayRetry(error) || (failed.length === 1 && !isShared)) {
        for (const { reject } of failed) reject(error);
        return;
      }
      const parts = isShared ? byOwner : failed.map((each) => [ownerOf(each.row), [each]] as const);
      await Promise.all(parts.map(([each, rows]) => this.write(() => rows, each)));
    }
  }
}
