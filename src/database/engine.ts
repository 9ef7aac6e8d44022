import { isNativeError } from "node:util/types";
import type { EntityManager, QueryRunner } from "typeorm";
import type { DatabaseStats } from "./observer";

/** A query that only reads. */
export type Read<T> = (reader: EntityManager) => Promise<T>;

/** A unit of work: every statement through `tx`, all kept or none. */
export type UnitOfWork<T> = (tx: EntityManager) => Promise<T>;

/** How a unit is to be run. */
export interface TransactionOptions {
  /** It runs no more than one statement, which is all or nothing by itself. */
  singleStatement?: boolean;
  /** Nobody waits for it, so it may take longer than what a request asks for. */
  background?: boolean;
}

/** The SQL that each property of a row stands for. */
type Columns<Row> = Readonly<Record<keyof Row & string, string>>;

/** Finds rows by a text of theirs. Always the same object, by which the database knows what it has parsed already. */
export interface Lookup<Row> {
  columns: Columns<Row>;
  /** The tables, without FROM. */
  from: string;
  /** The column that holds the text. */
  by: string;
}

/** Pages through a table in the order of its int64 ids. Always the same object, as a Lookup is. */
export interface KeysetQuery<Row> {
  columns: Columns<Row>;
  table: string;
  id: string;
  /** The column that can narrow the list, which an index has together with the id. */
  filter: string;
}

/** The rows of one page: from an int64 on, in decimal, and no more than the limit. */
export interface PageQuery {
  /** What the column of the filter must hold; null takes all rows. */
  filter: string | null;
  from: string;
  limit: number;
}

/** The usual limits of pages, each with the row that tells whether there are more. */
export const PAGE_LENGTHS = [11, 21, 51, 101] as const;

/** The least usual limit that a page fits in: where pages share a query, no LIMIT can differ from all others. */
export function pageLength(limit: number): number {
  const length = PAGE_LENGTHS.find((length) => length >= limit);
  if (length === undefined) throw new Error(`A page of ${limit} rows is too long.`);
  return length;
}

/**
 * What differs between the databases; nothing outside this folder knows which one it talks to.
 */
export interface Engine {
  /** The rows that have one of the texts; on committed rows, after the call, as are pages. */
  lookup<Row>(lookup: Lookup<Row>, values: readonly string[]): Promise<Row[]>;
  /** The rows of each page, in the order of their ids. */
  pages<Row>(paging: KeysetQuery<Row>, pages: readonly PageQuery[]): Promise<Row[][]>;
  /** Runs a query that never sees an uncommitted row; an index leads to all of its rows. */
  read<T>(query: Read<T>): Promise<T>;
  /** As `read`, for a query that may read many rows: it holds up neither lookups nor reads. @param owner for whom */
  report<T>(owner: string, query: Read<T>): Promise<T>;
  /** Runs a unit in a transaction of its own and answers once it is durable; a failed unit leaves nothing. */
  transaction<T>(unit: UnitOfWork<T>, manner?: TransactionOptions): Promise<T>;
  /** As a background `transaction`, and no other process is inside `withMigrationLock` on the same database meanwhile. */
  withMigrationLock<T>(unit: UnitOfWork<T>): Promise<T>;
  /**
   * Makes the ids that a unit assigns from here on visible in their order among all processes, so that no row
   * turns up before a cursor that was already handed out. @param list whose ids, any small number
   */
  lockInsertOrder(tx: EntityManager, list: number): Promise<void>;
  /** SQL that is true of so many rows of a table, of those for which a condition is. */
  someOf(table: string, condition: string, limit: number): string;
  /** Whether a failure means "the database cannot serve now" (busy, gone, full), not "the statement is wrong". */
  isUnavailable(error: unknown): boolean;
  /** Whether a unique index refused a row that a concurrent transaction had just claimed. */
  isConflict(error: unknown): boolean;
  /** How busy the way to the rows is now. */
  stats(): DatabaseStats;
  close(): Promise<void>;
}

/** The statements around a unit. */
export interface TransactionBoundary {
  begin: string | undefined;
  /** Makes the unit durable, or fails. */
  commit: (query: QueryRunner["query"]) => Promise<unknown>;
  /** Takes back all that the unit did. */
  rollback: (query: QueryRunner["query"]) => Promise<unknown>;
}

/**
 * Runs a unit in a transaction on a runner that nobody used before and nobody uses again. Once the unit has
 * ended, what it forgot to await or started beside a statement that failed throws: it would otherwise run
 * after the COMMIT or ROLLBACK, on its own or in the transaction of another unit.
 */
export async function transact<T>(
  runner: QueryRunner,
  { begin, commit, rollback }: TransactionBoundary,
  unit: UnitOfWork<T>,
): Promise<T> {
  const query = runner.query.bind(runner);
  const seal = () => {
    runner.query = async () => {
      throw new Error("A statement came after the end of its unit.");
    };
  };
  if (begin !== undefined) await query(begin);
  // Tells TypeORM not to begin a transaction of its own inside.
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

/** The driver's own error code behind whatever TypeORM threw; undefined when there is none. */
export function driverCode(error: unknown): string | undefined {
  const cause = isNativeError(error) && "driverError" in error ? error.driverError : error;
  // Not `instanceof`: a native driver may make its errors in another realm.
  return isNativeError(cause) && "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
}
