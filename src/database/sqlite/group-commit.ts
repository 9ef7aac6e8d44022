import type { QueryRunner } from "typeorm";
import { type TransactionBoundary, type TransactionOptions, transact, type UnitOfWork } from "../engine";
import type { DatabaseObserver } from "../observer";

/** A queued unit of work. */
interface Waiting {
  /** Whether the unit is atomic without a transaction. */
  singleStatement: boolean;
  /** Runs the unit and returns the error that it threw; its caller gets the outcome from `settle`. */
  run(boundary: TransactionBoundary): Promise<unknown>;
  settle(): void;
  fail(error: unknown): void;
}

/** For a single statement, which SQLite commits itself: saves two round trips to SQLite's thread. */
const AUTOCOMMIT: TransactionBoundary = {
  begin: undefined,
  commit: async () => undefined,
  rollback: async () => undefined,
};

/** Max units per transaction, because the first caller waits for the last unit. */
const MAX_UNITS = 100;

/**
 * Group commit for a database with one writer: units that arrive during a transaction share the next one, and so wait
 * only once for the disk. Owners take turns, so that the units of one do not wait for all those of another.
 */
export class GroupCommit {
  /** The units of each owner, first in, first out. */
  private readonly waiting = new Map<string, Set<Waiting>>();

  /**
   * @param newRunner creates a fresh query runner
   * @param boundary the statements around a whole transaction
   * @param observer receives durations and sizes
   */
  constructor(
    private readonly newRunner: () => QueryRunner,
    private readonly boundary: TransactionBoundary,
    private readonly observer: DatabaseObserver,
  ) {}

  /**
   * Adds a unit to the next transaction that has room for one of its owner.
   * @param options.owner the fair-queueing key
   * @returns the result of the unit, once it is durable
   */
  add<T>(unit: UnitOfWork<T>, { singleStatement = false, owner = "" }: TransactionOptions): Promise<T> {
    return new Promise((resolve, reject) => {
      let settle = () => {};
      const own = this.waiting.get(owner) ?? new Set();
      this.waiting.set(owner, own);
      own.add({
        singleStatement,
        run: (boundary) =>
          transact(this.newRunner(), boundary, unit).then(
            (result) => {
              settle = () => resolve(result);
            },
            (error) => {
              settle = () => reject(error);
              return error;
            },
          ),
        settle: () => settle(),
        fail: reject,
      });
    });
  }

  /** The number of units that wait for a transaction. */
  get waitingUnits(): number {
    return [...this.waiting.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Whether any unit waits for a transaction. */
  get isWaiting(): boolean {
    return this.waiting.size > 0;
  }

  /**
   * Runs the waiting units in one transaction.
   * @returns the error that rolled back the whole transaction, if any
   */
  async commitWaiting(): Promise<unknown> {
    const units = this.take();
    const began = performance.now();
    const failure = await this.commit(units);
    this.observer.transaction((performance.now() - began) / 1000);
    this.observer.coalesced("transaction", units.length);
    return failure;
  }

  /** Takes the units of the next transaction, one of each owner in turn. */
  private take(): Waiting[] {
    const units: Waiting[] = [];
    for (const [owner, own] of this.waiting) {
      if (units.length === MAX_UNITS) break;
      const [next] = own;
      this.waiting.delete(owner);
      if (next === undefined) continue;
      own.delete(next);
      units.push(next);
      // An owner that is added again has another turn.
      if (own.size > 0) this.waiting.set(owner, own);
    }
    return units;
  }

  private async commit(units: readonly Waiting[]): Promise<unknown> {
    const [only] = units;
    if (units.length === 1 && only !== undefined) {
      const failure = await only.run(only.singleStatement ? AUTOCOMMIT : this.boundary);
      only.settle();
      return failure;
    }
    try {
      await transact(this.newRunner(), this.boundary, () => runEach(units));
      for (const unit of units) unit.settle();
      return undefined;
    } catch (error) {
      for (const unit of units) unit.fail(error);
      return error;
    }
  }
}

/**
 * Runs units serially, each in a savepoint, so that a failed unit does not affect the others.
 * @throws the error of a unit that ended the whole transaction, for example on a full disk
 */
async function runEach(units: readonly Waiting[]): Promise<void> {
  let ended = false;
  const savepoint: TransactionBoundary = {
    begin: "SAVEPOINT unit",
    commit: (query) => query("RELEASE unit"),
    rollback: async (query) => {
      try {
        await query("ROLLBACK TO unit");
        await query("RELEASE unit");
      } catch {
        ended = true;
      }
    },
  };
  for (const unit of units) {
    const failure = await unit.run(savepoint);
    if (ended) throw failure;
  }
}
