import type { PoolClient } from "pg";
import {
  type DataSource,
  type EntityManager,
  QueryFailedError,
  type QueryRunner,
  QueryRunnerAlreadyReleasedError,
} from "typeorm";
import { GatewayError } from "../errors";
import { driverCode, type Engine, type Read, transact, type Unit } from "./engine";

/** SQLSTATE classes (PostgreSQL manual, appendix A) that say "not now": connection, deadlock, resources, operator. */
const UNAVAILABLE = /^(08|40|53|57|58)[0-9A-Z]{3}$|^25006$|^55P03$/;

const SQLSTATE = /^[0-9A-Z]{5}$/;

const UNIQUE_VIOLATION = "23505";

/** Any number that no other user of the same server's advisory locks is likely to take. */
const EXCLUSIVE_LOCK = 7_236_418_905;
const ORDER_LOCK = 723_641;

/** PostgreSQL: a pool of connections; a read or a transaction takes whichever is free. */
export class PostgresEngine implements Engine {
  private constructor(private readonly source: DataSource) {}

  static async open(source: DataSource): Promise<PostgresEngine> {
    await source.initialize();
    return new PostgresEngine(source);
  }

  read<T>(query: Read<T>): Promise<T> {
    return this.connected((runner) => query(runner.manager));
  }

  transaction<T>(unit: Unit<T>): Promise<T> {
    return this.connected((runner) =>
      transact(runner, { begin: "BEGIN", commit: () => commit(runner) }, unit),
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

  private async connected<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    const runner = this.source.createQueryRunner("master");
    try {
      await runner.connect();
    } catch (cause) {
      throw new GatewayError("unavailable", undefined, { cause });
    }
    try {
      return await work(runner);
    } finally {
      await runner.release();
    }
  }
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
