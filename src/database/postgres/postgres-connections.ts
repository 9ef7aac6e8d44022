import type { Pool, PoolClient } from "pg";
import {
  type DataSource,
  QueryFailedError,
  type QueryRunner,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from "typeorm";
import type { PostgresConnectionOptions } from "typeorm/driver/postgres/PostgresConnectionOptions";
import type { PostgresDriver } from "typeorm/driver/postgres/PostgresDriver";
import { GatewayError } from "../../errors";
import { CONNECT_MS } from "../data-source";
import { driverCode } from "../engine";
import type { Limits } from "../limits";
import type { DatabaseStats } from "../observer";
import { Semaphore } from "../semaphore";

/** How long a unit may do nothing between two statements (ms): a process that is cut off holds locks no longer. */
const IDLE_MS = 5_000;

/** For so long a read is begun again when its connection turns out to be broken (ms). */
const AGAIN_MS = 1_000;

/**
 * One in this many connections is kept for short reads, and as many serve reports: neither transactions, which wait for
 * each other, nor reports, which read much, hold up the lookup of a key.
 */
const SHARE = 5;

/** SQLSTATE of what ends the connection (PostgreSQL manual, appendix A): all that was under way is gone with it. */
const LOST = /^08[0-9A-Z]{3}$|^57P0[12]$/;

/** Unlike the system's own five letters, `EPIPE`. */
const SQLSTATE = /^[0-9FHPX][0-9A-Z]{4}$/;

/**
 * Hands out the connections of the pool. One that does not answer in time is ended, and what was under way on it
 * fails: a server that is frozen or cut off says nothing at all, not even that it stopped.
 */
export class PostgresConnections {
  private readonly transactions: Semaphore;
  private readonly reports: Semaphore;

  private constructor(
    private readonly source: DataSource,
    readonly limits: Limits,
  ) {
    const { poolSize = SHARE } = source.options as PostgresConnectionOptions;
    const share = Math.ceil(poolSize / SHARE);
    this.reports = new Semaphore(share);
    this.transactions = new Semaphore(Math.max(1, poolSize - 2 * share));
  }

  static async open(source: DataSource, limits: Limits): Promise<PostgresConnections> {
    source.setOptions({
      extra: { statement_timeout: limits.statement, idle_in_transaction_session_timeout: IDLE_MS },
    });
    await source.initialize();
    const connections = new PostgresConnections(source, limits);
    endQuietly(connections.pool);
    return connections;
  }

  /** How many wait, and what the connections do. */
  stats(): DatabaseStats {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return {
      waiting: { connection: waitingCount, transaction: this.transactions.queue, report: this.reports.queue },
      connections: { idle: idleCount, busy: totalCount - idleCount },
    };
  }

  private get pool(): Pool {
    return (this.source.driver as PostgresDriver).master;
  }

  /** A connection for one query that reads. @throws GatewayError `unavailable` when there is none in time */
  forQuery<T>(query: (client: PoolClient) => Promise<T>): Promise<T> {
    return again(async () => {
      const until = performance.now() + this.limits.call;
      const client = await this.pool.connect().catch(cannotConnect);
      const timer = endAt(until, client);
      let failure: Error | undefined;
      try {
        return await query(client);
      } catch (error) {
        failure = error as Error;
        throw error;
      } finally {
        clearTimeout(timer);
        // A connection that failed is not used again: nobody knows what state it is in.
        client.release(failure);
      }
    });
  }

  /** As `forQuery`, for reads through TypeORM. */
  forReading<T>(read: (runner: QueryRunner) => Promise<T>): Promise<T> {
    return again(() => this.connected(performance.now() + this.limits.call, read));
  }

  /** As `forReading`, for a read of many rows. @param owner who takes turns with others */
  async forReport<T>(owner: string, read: (runner: QueryRunner) => Promise<T>): Promise<T> {
    await this.reports.begin(this.limits.call, owner);
    try {
      return await this.forReading(read);
    } finally {
      this.reports.end();
    }
  }

  /** As `forQuery`, for one transaction. */
  async forTransaction<T>(limits: Limits, work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    const until = performance.now() + limits.call;
    await this.transactions.begin(CONNECT_MS);
    try {
      return await this.connected(until, work);
    } finally {
      this.transactions.end();
    }
  }

  close(): Promise<void> {
    return this.source.destroy();
  }

  private async connected<T>(until: number, work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    const runner = this.source.createQueryRunner("master");
    const timer = endAt(until, await runner.connect().catch(cannotConnect));
    try {
      return await work(runner);
    } finally {
      clearTimeout(timer);
      await runner.release();
    }
  }
}

/**
 * Whether the connection was broken, not only a statement refused. A failed query without a SQLSTATE is one that the
 * server never answered, and a connection that ends between two statements is released at once, which TypeORM says in
 * two ways.
 */
export function isLost(error: unknown): boolean {
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  if (error instanceof QueryRunnerProviderAlreadyReleasedError) return true;
  const code = driverCode(error);
  if (code === undefined) return error instanceof QueryFailedError;
  return LOST.test(code) || !SQLSTATE.test(code);
}

/** Begins a read again while its connection turns out to be broken, as those are that outlived a restart of the server. */
async function again<T>(read: () => Promise<T>): Promise<T> {
  const until = performance.now() + AGAIN_MS;
  while (true) {
    try {
      return await read();
    } catch (error) {
      if (!isLost(error) || performance.now() > until) throw error;
    }
  }
}

/** Ends a connection at a time, without a word to the server, for it may not be listening. */
const endAt = (until: number, { connection }: PoolClient): NodeJS.Timeout =>
  setTimeout(() => connection.stream.destroy(), until - performance.now());

/**
 * A connection that ends while it is in use says so, and if nobody listened, that would end the process. Whoever gets
 * it is too late to listen: what ends it may have come in one packet with what made it ready.
 */
function endQuietly(pool: Pool): void {
  const ignore = () => undefined;
  pool.on("acquire", (client) => client.on("error", ignore));
  // From here on the pool listens itself.
  pool.on("release", (_, client) => client.off("error", ignore));
}

/** Whatever the reason, the database does not serve now. */
function cannotConnect(cause: unknown): never {
  throw new GatewayError("unavailable", undefined, { cause });
}
