import { isNativeError } from "node:util/types";
import type { EntityManager, ObjectLiteral, QueryRunner, SelectQueryBuilder } from "typeorm";
import type { BatchGate } from "../common/batch-gate";
import type { Limits } from "./limits";
import type { DatabaseStats } from "./observer";
import type { Selection } from "./selection";

/** A read-only query. */
export type Read<T> = (reader: EntityManager) => Promise<T>;

/** A unit of work: it runs every statement through `tx`, and either all of them commit or none do. */
export type UnitOfWork<T> = (tx: EntityManager) => Promise<T>;

export interface TransactionOptions {
  /**
   * True if the unit changes rows with at most one statement, run through `tx.query`, and runs only `lockInsertOrder`
   * before it. Such a unit is atomic without a transaction and may be committed before it continues.
   */
  singleStatement?: boolean;
  /** Limits for a unit that no request waits for. */
  limits?: Limits;
  /** True for a unit that always runs the same few statements, which are then kept prepared. */
  isRepeated?: boolean;
  /** ID of the organization that owns the unit; organizations share the connections fairly. */
  owner?: string | undefined;
  /** Max time to wait for each lock (ms); `wasRolledBack` recognizes the error. SQLite has no such locks. */
  lockWaitMs?: number | undefined;
}

/** Finds rows by a text column. Declare once at module scope: prepared statements are cached by identity. */
export interface Lookup<Row> extends Selection<Row> {
  /** The FROM clause, without `FROM`. */
  from: string;
  /** The column to match. */
  by: string;
}

/** Pages through a table by int64 ID. Declare once at module scope: prepared statements are cached by identity. */
export interface KeysetQuery<Row> extends Selection<Row> {
  table: string;
  id: string;
  /** The column that the list can be filtered by; an index must cover it together with the ID. */
  filter: string;
}

/** Max rows per page: 100, plus one row to detect a next page. */
export const MAX_PAGE_LENGTH = 101;

/** One page: at most `limit` rows, starting at ID `from` (an int64 in decimal). */
export interface PageQuery {
  /** The required value of the filter column; null matches all rows. */
  filter: string | null;
  from: string;
  limit: number;
}

/** Returns the length of a page; throws if it is longer than `MAX_PAGE_LENGTH`. */
export function lengthOf({ limit }: PageQuery): number {
  if (limit > MAX_PAGE_LENGTH) throw new Error(`A page of ${limit} rows is too long.`);
  return limit;
}

/**
 * Modes of locking a string: `exclusive` waits for all other locks on the string, `shared` waits only for
 * exclusive locks, and `tryExclusive` and `trySharing` return false instead of waiting.
 */
export type TextLock = "exclusive" | "shared" | "tryExclusive" | "trySharing";

/** The statements and parts of statements that differ between engines. */
export interface Dialect {
  /** True if a statement can contain other statements that change rows. */
  readonly hasWritableCtes: boolean;
  /**
   * Returns a copy of a unit's query that locks its rows until the transaction ends; the original takes no locks.
   * @param options.skipLocked true to skip rows locked by another transaction instead of waiting
   */
  lock<Row extends ObjectLiteral>(
    query: SelectQueryBuilder<Row>,
    options?: { skipLocked?: boolean },
  ): SelectQueryBuilder<Row>;
  /** Returns the clause that makes a SELECT lock its rows the way `lock` does. */
  updateLock(options?: { skipLocked?: boolean }): string;
  /** Returns the clause that makes a SELECT protect its rows in these tables (names or aliases) from changes. */
  shareLock(...tables: string[]): string;
  /**
   * Returns an SQL expression that locks a string instead of a row until the transaction ends; undefined in a dry run,
   * and if write transactions never run concurrently.
   * @param text an SQL expression
   */
  textLock(text: string, mode: TextLock): string | undefined;
  /** Returns SQL for the database's current time plus an offset (ms), as a Timestamp all machines agree on. */
  clock(afterMs?: number): string;
  /**
   * Returns the FROM item for the elements of a JSON array, in order, as the column `value`, so that one parameter can
   * hold many rows.
   * @param parameter the placeholder of the array
   */
  jsonElements(parameter: string): string;
  /** Returns an SQL condition for the first `limit` rows, ordered by a column, that match another condition. */
  limitedCondition(table: string, condition: string, order: string, limit: number): string;
}

/** The locks of a transaction that never runs concurrently with others, or changes nothing. */
export const NO_LOCKS: Pick<Dialect, "lock" | "updateLock" | "shareLock" | "textLock"> = {
  lock: (query) => query,
  updateLock: () => "",
  shareLock: () => "",
  textLock: () => undefined,
};

/** Queries that run as prepared statements; they throw the driver's errors. */
export interface Reads {
  /** Returns the rows that match any of the values, from a snapshot of committed rows taken after the call. */
  lookup<Row>(lookup: Lookup<Row>, values: readonly string[]): Promise<Row[]>;
  /** Returns the rows of each page in ID order, from a snapshot of committed rows taken after the call. */
  pages<Row>(paging: KeysetQuery<Row>, pages: readonly PageQuery[]): Promise<Row[][]>;
}

/** The interface of a database engine; code outside this folder does not know which engine it uses. */
export interface Engine {
  /** Name of the engine in OpenTelemetry's conventions. */
  readonly system: "postgresql" | "sqlite";
  readonly dialect: Dialect;
  readonly reads: Reads;
  /** Min length of a pause that lets other processes get a write lock (ms). */
  readonly minPauseMs: number;
  /**
   * An SQL expression for properties that differ in a restored copy of the database and survive a failover, as a JSON
   * object with string values; undefined if there are none.
   */
  readonly identity?: string;
  /** Starts the batches of lookups and pages; batches that start together are combined into one statement. */
  readonly readGate?: BatchGate;
  /** Runs an indexed query on committed rows. */
  read<T>(query: Read<T>, options?: Pick<TransactionOptions, "isRepeated">): Promise<T>;
  /** Runs a query that may read many rows, without delaying others; `owner` is the fair-queueing key. */
  report<T>(owner: string, query: Read<T>): Promise<T>;
  /** Runs a unit of work as a report, in a transaction that changes no rows. */
  dryRun<T>(owner: string, unit: UnitOfWork<T>): Promise<T>;
  /** Runs a unit of work in a transaction and resolves once it is durable; a failed unit is rolled back. */
  transaction<T>(unit: UnitOfWork<T>, options?: TransactionOptions): Promise<T>;
  /** Runs a transaction without time limits that excludes other `withMigrationLock` calls of any process. */
  withMigrationLock<T>(unit: UnitOfWork<T>): Promise<T>;
  /**
   * Serializes inserts into a list across processes until the transaction ends, so that no row appears before a cursor
   * that a client already has.
   * @param list the lock number of the list
   */
  lockInsertOrder(tx: EntityManager, list: number, parts?: readonly string[]): Promise<void>;
  /** Notifies listeners in all processes, if the database supports it. */
  announce(channel: string): Promise<void>;
  /** Calls a listener on each notification, and after gaps that may have lost some; returns a function to stop this. */
  listen(channel: string, listener: () => void): () => Promise<void>;
  /** Checks that the database accepts writes; if not, replaces connections whose server may be read-only. */
  canWrite(): Promise<boolean>;
  /** True if the database is temporarily unavailable (busy, gone, full); false if the statement is wrong. */
  isUnavailable(error: unknown): boolean;
  /** True if an error is a unique violation caused by a concurrent transaction. */
  isConflict(error: unknown): boolean;
  /** True if a transaction was rolled back because one of its statements waited too long for another transaction. */
  wasRolledBack(error: unknown): boolean;
  /** Returns the current queue lengths and connection counts. */
  stats(): DatabaseStats;
  close(): Promise<void>;
}

/** The statements that begin, commit and roll back a transaction. */
export interface TransactionBoundary {
  begin: string | undefined;
  /** Commits the unit durably, or rejects. */
  commit: (query: QueryRunner["query"]) => Promise<unknown>;
  rollback: (query: QueryRunner["query"]) => Promise<unknown>;
}

/**
 * Runs a unit of work in a transaction. Statements that the unit did not await fail after it has ended, because they
 * would otherwise run outside the transaction or in another unit's transaction.
 * @param runner a fresh query runner that is not reused
 */
export async function transact<T>(
  runner: QueryRunner,
  { begin, commit, rollback }: TransactionBoundary,
  unit: UnitOfWork<T>,
): Promise<T> {
  const query = runner.query.bind(runner);
  const seal = () => {
    runner.query = async () => {
      throw new Error("A statement ran after the end of its unit of work.");
    };
  };
  if (begin !== undefined) await query(begin);
  // Prevents TypeORM from starting a nested transaction.
  Object.assign(runner, { isTransactionActive: true });
  try {
    const result = await unit(runner.manager);
    seal();
    await commit(query);
    return result;
  } catch (error) {
    seal();
    await rollback(query);
    throw error;
  }
}

/** Returns the driver's error code, even if TypeORM has wrapped the error. */
export function driverCode(error: unknown): string | undefined {
  const cause = isNativeError(error) && "driverError" in error ? error.driverError : error;
  // Does not use `instanceof`, because a native driver may create its errors in another realm.
  return isNativeError(cause) && "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
}
