import type { Pool, PoolClient, QueryConfig, QueryResult } from "pg";
import {
  type DataSource,
  type EntityManager,
  QueryFailedError,
  type QueryRunner,
  QueryRunnerAlreadyReleasedError,
} from "typeorm";
import type { PostgresDriver } from "typeorm/driver/postgres/PostgresDriver";
import { GatewayError } from "../errors";
import { sha256 } from "../validation/sha256";
import {
  driverCode,
  type Engine,
  type Frame,
  type Lookup,
  type PageQuery,
  type Paging,
  type Read,
  transact,
  type Unit,
} from "./engine";

/** SQLSTATE classes (PostgreSQL manual, appendix A) that say "not now": connection, deadlock, resources, operator. */
const UNAVAILABLE = /^(08|40|53|57|58)[0-9A-Z]{3}$|^25006$|^55P03$/;

/** Unlike the system's own five letters, `EPIPE`. */
const SQLSTATE = /^[0-9FHPX][0-9A-Z]{4}$/;

const UNIQUE_VIOLATION = "23505";

/** Any number that no other user of the same server's advisory locks is likely to take. */
const EXCLUSIVE_LOCK = 7_236_418_905;
const ORDER_LOCK = 723_641;

/** A statement with the name under which each connection keeps what it parsed. */
interface Named {
  name: string;
  text: string;
}

/** By what is asked for. */
const statements = new WeakMap<object, Named>();

function named(of: object, write: () => string): Named {
  const known = statements.get(of);
  if (known !== undefined) return known;
  const text = write();
  // The same name for the same text, also of other processes that a connection pooler gives the same connection.
  const statement = { name: `gateway_${sha256(text).slice(0, 32)}`, text };
  statements.set(of, statement);
  return statement;
}

const columnsSql = (columns: Readonly<Record<string, string>>) =>
  Object.entries(columns).map(([name, sql]) => `${sql} AS "${name}"`);

const lookupSql = ({ columns, from, by }: Lookup<unknown>) =>
  `SELECT ${columnsSql(columns)} FROM ${from} WHERE ${by} = ANY($1)`;

/** Rows as arrays, each after the place of its page. Only one side of a union has to be run, told by the filter. */
function pagesSql({ columns, table, id, filter }: Paging<unknown>): string {
  const rows = (where: string) =>
    `(SELECT ${columnsSql(columns)}, ${id} AS place FROM ${table}
      WHERE ${where} AND ${id} >= page.start ORDER BY ${id} LIMIT page.size)`;
  const names = Object.keys(columns).map((name) => `row."${name}"`);
  return `SELECT page.place::int, ${names}
    FROM unnest($1::text[], $2::bigint[], $3::int[]) WITH ORDINALITY AS page (filter, start, size, place)
    CROSS JOIN LATERAL (${rows("page.filter IS NULL")} UNION ALL ${rows(`${filter} = page.filter`)}) AS row
    ORDER BY page.place, row.place`;
}

/** PostgreSQL: a pool of connections; a read or a transaction takes whichever is free. */
export class PostgresEngine implements Engine {
  private constructor(private readonly source: DataSource) {}

  static async open(source: DataSource): Promise<PostgresEngine> {
    await source.initialize();
    return new PostgresEngine(source);
  }

  async lookup<Row>(lookup: Lookup<Row>, values: readonly string[]): Promise<Row[]> {
    const statement = named(lookup, () => lookupSql(lookup));
    const { rows } = await this.query({ ...statement, values: [values] });
    return rows;
  }

  async pages<Row>(paging: Paging<Row>, pages: readonly PageQuery[]): Promise<Row[][]> {
    const statement = named(paging, () => pagesSql(paging));
    const values = [
      pages.map(({ filter }) => filter),
      pages.map(({ from }) => from),
      pages.map(({ limit }) => limit),
    ];
    const { rows } = await this.query({ ...statement, values, rowMode: "array" });
    const names = Object.keys(paging.columns);
    const found: Row[][] = pages.map(() => []);
    for (const [place, ...cells] of rows as [number, ...unknown[]][]) {
      const row = Object.fromEntries(names.map((name, i) => [name, cells[i]]));
      found[place - 1]?.push(row as Row);
    }
    return found;
  }

  read<T>(query: Read<T>): Promise<T> {
    return this.connected((runner) => query(runner.manager));
  }

  transaction<T>(unit: Unit<T>): Promise<T> {
    return this.connected((runner) =>
      transact(runner, { begin: "BEGIN", commit: () => commit(runner), rollback }, unit),
    );
  }

  exclusively<T>(unit: Unit<T>): Promise<T> {
    return this.transaction(async (tx) => {
      await tx.query("SELECT pg_advisory_xact_lock($1)", [EXCLUSIVE_LOCK]);
      return unit(tx);
    });
  }

  /** A sequence counts when a row is inserted, which others see at the commit: until then they wait. */
  async keepOrder(tx: EntityManager, list: number): Promise<void> {
    await tx.query("SELECT pg_advisory_xact_lock($1, $2)", [ORDER_LOCK, list]);
  }

  /**
   * A failed query without a SQLSTATE is one that the server never answered, and a connection that ends between
   * two statements is released at once.
   */
  isUnavailable(error: unknown): boolean {
    if (error instanceof QueryRunnerAlreadyReleasedError) return true;
    const code = driverCode(error);
    if (code === undefined) return error instanceof QueryFailedError;
    return UNAVAILABLE.test(code) || !SQLSTATE.test(code);
  }

  isConflict(error: unknown): boolean {
    return driverCode(error) === UNIQUE_VIOLATION;
  }

  close(): Promise<void> {
    return this.source.destroy();
  }

  private async query(query: QueryConfig & { rowMode?: "array" }): Promise<QueryResult> {
    const pool: Pool = (this.source.driver as PostgresDriver).master;
    const client = await pool.connect().catch(cannotConnect);
    let failure: Error | undefined;
    try {
      return await client.query(query);
    } catch (cause) {
      failure = new QueryFailedError(query.text, [], cause as Error);
      throw failure;
    } finally {
      // A connection that failed is not used again: nobody knows what state it is in.
      client.release(failure);
    }
  }

  private async connected<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    const runner = this.source.createQueryRunner("master");
    await runner.connect().catch(cannotConnect);
    try {
      return await work(runner);
    } finally {
      await runner.release();
    }
  }
}

const rollback: Frame["rollback"] = (query) => query("ROLLBACK").catch(() => undefined);

/** Whatever the reason, the database does not serve now. */
function cannotConnect(cause: unknown): never {
  throw new GatewayError("unavailable", undefined, { cause });
}

/**
 * Commits. PostgreSQL answers a COMMIT after a failed statement with ROLLBACK and no error, which TypeORM hides:
 * a unit that went on after a failure would count as kept.
 */
async function commit(runner: QueryRunner): Promise<void> {
  const client: PoolClient = await runner.connect();
  const { command } = await client.query("COMMIT").catch((cause: Error) => {
    throw new QueryFailedError("COMMIT", undefined, cause);
  });
  if (command !== "COMMIT") throw new Error("The unit went on after one of its statements had failed.");
}
