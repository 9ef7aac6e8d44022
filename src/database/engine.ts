import { isNativeError } from "node:util/types";
import type { EntityManager, QueryRunner } from "typeorm";
import type { Pressure } from "./observer";

/** A query that only reads. */
export type Read<T> = (reader: EntityManager) => Promise<T>;

/** A unit of work: every statement through `tx`, all kept or none. */
export type Unit<T> = (tx: EntityManager) => Promise<T>;

/** What a database spells in its own way inside a Select. */
export interface Dialect {
  /** `column IN …`: the value is in the list of texts that is the parameter, such as `$1`. */
  among(column: string, parameter: string): string;
}

/** A query whose text never changes, for the paths that every request takes. */
export interface Select<Row> {
  /** Each property of a row, and the SQL that it stands for. */
  columns: Readonly<Record<keyof Row & string, string>>;
  /** The rest of the query, from FROM on; its parameters are `$1`, `$2`, …. */
  from(dialect: Dialect): string;
  /** Whether its queries have a limit. */
  limited?: boolean;
}

/** A Select with the values of its parameters. */
export interface Query<Row> {
  /** Always the same object, by which the database knows what it has parsed already. */
  select: Select<Row>;
  parameters: readonly unknown[];
  /** Most rows to answer, where the Select is limited. */
  limit?: number;
}

/**
 * What differs between the databases; nothing outside this folder knows which one it talks to.
 */
export interface Engine {
  /** Answers the rows of each query, all seen on committed rows after the call. */
  select<Row>(queries: readonly Query<Row>[]): Promise<Row[][]>;
  /** Runs a query that never sees an uncommitted row. */
  read<T>(query: Read<T>): Promise<T>;
  /**
   * Runs a unit in a transaction of its own and answers once it is durable; a failed unit leaves nothing.
   * @param single whether the unit runs no more than one statement, which is all or nothing by itself
   */
  transaction<T>(unit: Unit<T>, single?: boolean): Promise<T>;
  /** As `transaction`, and no other process is inside `exclusively` on the same database meanwhile. */
  exclusively<T>(unit: Unit<T>): Promise<T>;
  /**
   * Makes the ids that a unit assigns from here on visible in their order among all processes, so that no row
   * turns up before a cursor that was already handed out. @param list whose ids, any small number
   */
  keepOrder(tx: EntityManager, list: number): Promise<void>;
  /** Whether a failure means "the database cannot serve now" (busy, gone, full), not "the statement is wrong". */
  isUnavailable(error: unknown): boolean;
  /** Whether a unique index refused a row that a concurrent transaction had just claimed. */
  isConflict(error: unknown): boolean;
  /** How busy the way to the rows is now. */
  pressure(): Pressure;
  close(): Promise<void>;
}

/** The statements around a unit. */
export interface Frame {
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
  { begin, commit, rollback }: Frame,
  unit: Unit<T>,
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
