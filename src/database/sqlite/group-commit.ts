import type { QueryRunner } from "typeorm";
import { FairQueue } from "../../common/fair-queue";
import { type TransactionBoundary, type TransactionOptions, transact, type UnitOfWork } from "../engine";
import type { DatabaseObserver } from "../observer";

/** A queued unit of work. */
interface Waiting {
  /** True if the unit is atomic without a transaction. */
  singleStatement: boolean;
  /** Runs the unit and returns its error; the unit's caller gets the outcome from `settle`. */
  run(boundary: TransactionBoundary): Promise<unknown>;
  settle(): void;
  fail(error: unknown): void;
}

/** Runs a single statement, which SQLite commits on its own, to save two round trips to SQLite's thread. */
const AUTOCOMMIT: TransactionBoundary = {
  begin: undefined,
  commit: async () => undefined,
  rollback: async () => undefined,
};

/** Max units per transaction, to limit how long the first unit's caller waits for the last unit. */
const MAX_UNITS = 100;

/** Start no more units after this time (ms), because other organizations wait for the commit. */
const MAX_MS = 50;

/**
 * Group commit for a database with one writer: units that arrive during a transaction run together in the next one, so
 * that they wait for the disk only once. Owners take turns, so that an owner with many units does not delay the others.
 */
export class GroupCommit {
  private readonly waiting = new FairQueue<Waiting>();

  /** @param newRunner creates a fresh query runner */
  constructor(
    private readonly newRunner: () => QueryRunner,
    private readonly boundary: TransactionBoundary,
    private readonly observer: DatabaseObserver,
  ) {}

  /** Adds a unit to the next transaction with room for its owner; returns its result, once it is durable. */
  add<T>(unit: UnitOfWork<T>, { singleStatement = false, owner = "" }: TransactionOptions): Promise<T> {
    return new Promise((resolve, reject) => {
      let settle = () => {};
      this.waiting.add(owner, {
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

  /** Number of units waiting for a transaction. */
  get waitingUnits(): number {
    return this.waiting.size;
  }

  /** True if any unit is waiting for a transaction. */
  get isWaiting(): boolean {
    return !this.waiting.isEmpty;
  }

  /** Runs waiting units in one transaction until its time is up; returns the error that rolled back all of it. */
  async commitWaiting(): Promise<unknown> {
    const began = performance.now();
    const units: Waiting[] = [];
    const failure = await this.commit(units, Math.min(MAX_UNITS, this.waitingUnits));
    this.observer.transaction((performance.now() - began) / 1000);
    this.observer.coalesced("transaction", units.length);
    return failure;
  }

  /** @param units receives the units of the transaction */
  private async commit(units: Waiting[], max: number): Promise<unknown> {
    const only = max === 1 ? this.waiting.next() : undefined;
    if (only !== undefined) {
      units.push(only);
      const failure = await only.run(only.singleStatement ? AUTOCOMMIT : this.boundary);
      only.settle();
      return failure;
    }
    const until = performance.now() + MAX_MS;
    const next = () => {
      if (units.length === max || performance.now() > until) return undefined;
      const unit = this.waiting.next();
      if (unit !== undefined) units.push(unit);
      return unit;
    };
    try {
      await transact(this.newRunner(), this.boundary, () => runEach(next));
      for (const unit of units) unit.settle();
      return undefined;
    } catch (error) {
      // If the transaction could not start, its units fail now instead of waiting for the next transaction.
      if (units.length === 0) while (units.length < max) units.push(this.waiting.next() as Waiting);
      for (const unit of units) unit.fail(error);
      return error;
    }
  }
}

/** Runs units serially, each in a savepoint; throws if one ended the whole transaction, as on a full disk. */
async function runEach(next: () => Waiting | undefined): Promise<void> {
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
  for (let unit = next(); unit !== undefined; unit = next()) {
    const failure = await unit.run(savepoint);
    if (ended) throw failure;
  }
}
