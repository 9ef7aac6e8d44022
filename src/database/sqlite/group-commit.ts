import type { QueryRunner } from "typeorm";
import { type TransactionBoundary, transact, type UnitOfWork } from "../engine";
import type { DatabaseObserver } from "../observer";

/** A unit of work that waits for its turn. */
interface Waiting {
  /** Whether it is all or nothing without a frame. */
  singleStatement: boolean;
  /** Runs the unit in a frame and answers what it threw, which its caller hears from `settle`, later. */
  run(frame: TransactionBoundary): Promise<unknown>;
  settle(): void;
  fail(error: unknown): void;
}

/** SQLite's own, around one statement: it saves two trips to the other thread. */
const NO_FRAME: TransactionBoundary = {
  begin: undefined,
  commit: async () => undefined,
  rollback: async () => undefined,
};

/** Units in one transaction at most: the first is answered after the last. */
const MAX_UNITS = 100;

/**
 * Group commit for a database with one writer: the units that come while a transaction is under way share the
 * next one, and are answered when it is durable. A commit waits for the disk; this way it does so once for many.
 */
export class GroupCommit {
  private waiting: Waiting[] = [];

  /** @param newRunner a runner that nobody used before. @param frame of a whole transaction */
  constructor(
    private readonly newRunner: () => QueryRunner,
    private readonly frame: TransactionBoundary,
    private readonly observer: DatabaseObserver,
  ) {}

  /** Adds a unit to the next transaction. @returns what the unit returned, once it is durable */
  add<T>(unit: UnitOfWork<T>, singleStatement: boolean): Promise<T> {
    return new Promise((resolve, reject) => {
      let settle = () => {};
      this.waiting.push({
        singleStatement,
        run: (frame) =>
          transact(this.newRunner(), frame, unit).then(
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

  /** How many units wait for a transaction. */
  get waitingUnits(): number {
    return this.waiting.length;
  }

  /** Whether a unit waits for a transaction. */
  get isWaiting(): boolean {
    return this.waiting.length > 0;
  }

  /** Runs one transaction with the units that wait. @returns why nothing of it was kept, if so */
  async commitWaiting(): Promise<unknown> {
    const units = this.waiting.splice(0, MAX_UNITS);
    const began = performance.now();
    const failure = await this.commit(units);
    this.observer.transaction((performance.now() - began) / 1000);
    this.observer.joined("transaction", units.length);
    return failure;
  }

  private async commit(units: readonly Waiting[]): Promise<unknown> {
    const [only] = units;
    if (units.length === 1 && only !== undefined) {
      const failure = await only.run(only.singleStatement ? NO_FRAME : this.frame);
      only.settle();
      return failure;
    }
    try {
      await transact(this.newRunner(), this.frame, () => runEach(units));
      for (const unit of units) unit.settle();
      return undefined;
    } catch (error) {
      for (const unit of units) unit.fail(error);
      return error;
    }
  }
}

/**
 * Runs units one after the other, each in a savepoint, so that the failure of one takes nothing from the others.
 * @throws the failure of a unit that ended the whole transaction, as a full disk does
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
