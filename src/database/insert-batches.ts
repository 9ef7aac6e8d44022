import { MAX_ITEMS } from "../common/coalesce";
import type { TransactionOptions } from "./engine";
import type { Tx, UnitOfWork } from "./unit-of-work";

interface Options<Row, T> {
  /** Inserts rows in order and returns one value or Error per row. */
  insert(tx: Tx, rows: readonly Row[]): Promise<(T | Error)[]>;
  /** Runs a unit of work in a transaction. */
  write(
    unit: UnitOfWork<(T | Error)[]>,
    options?: Pick<TransactionOptions, "singleStatement">,
  ): Promise<(T | Error)[]>;
  /** True if rows may be inserted again after an error. */
  mayRetry(error: unknown): boolean;
  singleStatement: boolean;
}

/** Inserts rows in batches, one transaction per batch; if a batch fails, retries each row alone. */
export class InsertBatches<Row, T> {
  /** The batch whose unit of work has not started. */
  private waiting: { rows: Row[]; results: Promise<(T | Error)[]> } | undefined;

  constructor(private readonly options: Options<Row, T>) {}

  /** @returns one value or Error per row, in their order */
  async add(rows: readonly Row[]): Promise<(T | Error)[]> {
    // Another unit of work would queue behind the waiting one and cost as many statements again.
    if (this.waiting === undefined || this.waiting.rows.length + rows.length > MAX_ITEMS) {
      const all: Row[] = [];
      const results = Promise.resolve(all).then((each) => this.insertAll(each));
      this.waiting = { rows: all, results };
    }
    const { rows: all, results } = this.waiting;
    const from = all.push(...rows) - rows.length;
    return (await results).slice(from, from + rows.length);
  }

  private async insertAll(rows: Row[]): Promise<(T | Error)[]> {
    const { insert, write, mayRetry, singleStatement } = this.options;
    const stopWaiting = () => {
      if (this.waiting?.rows === rows) this.waiting = undefined;
    };
    const unit: UnitOfWork<(T | Error)[]> = (tx) => {
      stopWaiting();
      return insert(tx, rows);
    };
    try {
      return await write(unit, { singleStatement });
    } catch (error) {
      stopWaiting();
      if (rows.length === 1 || !mayRetry(error)) throw error;
      const alone = rows.map((row) => write((tx) => insert(tx, [row])).then(([value]) => value as T | Error));
      return (await Promise.allSettled(alone)).map((outcome) =>
        outcome.status === "fulfilled" ? outcome.value : asError(outcome.reason),
      );
    }
  }
}

const asError = (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason)));
