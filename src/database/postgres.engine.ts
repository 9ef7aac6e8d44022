import type { Pool, PoolClient } from "pg";
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
  type Dialect,
  driverCode,
  type Engine,
  type Frame,
  type Query,
  type Read,
  type Select,
  transact,
  type Unit,
} from "./engine";
import type { DatabaseObserver, Pressure } from "./observer";

/** SQLSTATE classes (PostgreSQL manual, appendix A) that say "not now": connection, deadlock, resources, operator. */
const UNAVAILABLE = /^(08|40|53|57|58)[0-9A-Z]{3}$|^25006$|^55P03$/;

/** Unlike the system's own five letters, `EPIPE`. */
const SQLSTATE = /^[0-9FHPX][0-9A-Z]{4}$/;

const UNIQUE_VIOLATION = "23505";

/** Any number that no other user of the same server's advisory locks is likely to take. */
const EXCLUSIVE_LOCK = 7_236_418_905;
const ORDER_LOCK = 723_641;

const DIALECT: Dialect = { among: (column, parameter) => `${column} = ANY(${parameter})` };

const statements = new WeakMap<object, { name: string; text: string }>();

/** The text of a Select, and the name under which each connection keeps what it parsed. */
function statementOf<Row>(select: Select<Row>): { name: string; text: string } {
  const known = statements.get(select);
  if (known !== undefined) return known;
  const columns = Object.entries<string>(select.columns).map(([name, sql]) => `${sql} AS "${name}"`);
  const from = select.from(DIALECT);
  const places = [...from.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place));
  const limit = select.limited ? ` LIMIT $${Math.max(0, ...places) + 1}` : "";
  const text = `SELECT ${columns} ${from}${limit}`;
  // The same name for the same text, also of other processes that a connection pooler gives the same connection.
  const statement = { name: `gateway_${sha256(text).slice(0, 32)}`, text };
  statements.set(select, statement);
  return statement;
}

/** PostgreSQL: a pool of connections; a read or a transaction takes whichever is free. */
export class PostgresEngine implements Engine {
  private constructor(
    private readonly source: DataSource,
    private readonly observer: DatabaseObserver,
  ) {}

  static async open(source: DataSource, observer: DatabaseObserver): Promise<PostgresEngine> {
    await source.initialize();
    return new PostgresEngine(source, observer);
  }

  select<Row>(queries: readonly Query<Row>[]): Promise<Row[][]> {
    return Promise.all(queries.map((query) => this.rows(query)));
  }

  read<T>(query: Read<T>): Promise<T> {
    return this.connected((runner) => query(runner.manager));
  }

  transaction<T>(unit: Unit<T>): Promise<T> {
    return this.connected(async (runner) => {
      const began = performance.now();
      try {
        return await transact(runner, { begin: "BEGIN", commit: () => commit(runner), rollback }, unit);
      } finally {
        this.observer.transaction((performance.now() - began) / 1000);
      }
    });
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

  pressure(): Pressure {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return {
      waiting: { connection: waitingCount },
      connections: { idle: idleCount, busy: totalCount - idleCount },
    };
  }

  close(): Promise<void> {
    return this.source.destroy();
  }

  private get pool(): Pool {
    return (this.source.driver as PostgresDriver).master;
  }

  private async rows<Row>({ select, parameters, limit }: Query<Row>): Promise<Row[]> {
    const { name, text } = statementOf(select);
    const client = await this.pool.connect().catch(cannotConnect);
    let failure: Error | undefined;
    try {
      const { rows } = await client.query({
        name,
        text,
        values: limit === undefined ? [...parameters] : [...parameters, limit],
      });
      return rows;
    } catch (cause) {
      failure = new QueryFailedError(text, [], cause as Error);
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
