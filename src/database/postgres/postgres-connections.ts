// One class, because after a failover, all connections are replaced together, in the pool and outside it.

import { Client, type Pool, type PoolClient } from "pg";
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
import { driverCode } from "../engine";
import { type Limits, WAITS } from "../limits";
import type { DatabaseStats } from "../observer";
import { Semaphore, shareOf } from "../semaphore";

/** Max time to retry a read on broken connections (ms). */
const RETRY_INTERVAL_MS = 1_000;

/** One in `SHARE` connections is kept for short reads and one for reports, so that key lookups are not delayed. */
const SHARE = 5;

/**
 * Close a connection after this idle time (ms). It is long enough for pauses between bursts of requests,
 * because a new connection has to prepare every statement again, and shorter than the 4 minutes after which
 * load balancers silently drop idle connections.
 */
const IDLE_LIMIT_MS = 120_000;

/** SQLSTATEs that end the connection (PostgreSQL manual, appendix A). */
const CONNECTION_LOST = /^08[0-9A-Z]{3}$|^57P0[1245]$|^25P0[34]$/;

/** The SQLSTATE of a session on a read-only server: a standby, or a server that is switching over. */
const READ_ONLY = "25006";

/** Min time between replacements of all connections (ms), so that reads work while every server is read-only. */
const REPLACE_INTERVAL_MS = 1_000;

/** Matches SQLSTATEs, but not five-letter system error codes such as `EPIPE`. */
const SQLSTATE = /^[0-9FHPX][0-9A-Z]{4}$/;

/** Matches codes of failed connections, such as `ECONNREFUSED` or `EAI_AGAIN`, but not Node's own `ERR_…` codes. */
const SYSTEM_ERROR = /^E(?!RR_)[A-Z0-9_]+$/;

/**
 * Hands out pooled connections and destroys unresponsive ones, because a frozen or unreachable server reports no error.
 */
export class PostgresConnections {
  private readonly transactions: Semaphore;
  private readonly reports: Semaphore;
  private readonly pool: Pool;
  /** Number of times that all connections have been replaced. */
  private replacements = 0;
  /** `replacements` at the time a pooled connection was opened; outdated connections are closed when released. */
  private readonly openedAfter = new WeakMap<object, number>();
  /** Open connections outside the pool. */
  private readonly outside = new Set<Client>();
  private replacedAt = -REPLACE_INTERVAL_MS;
  private nextReplacement: NodeJS.Timeout | undefined;

  private constructor(
    private readonly source: DataSource,
    readonly limits: Limits,
  ) {
    const { poolSize = SHARE } = source.options as PostgresConnectionOptions;
    this.pool = (source.driver as PostgresDriver).master;
    const share = Math.ceil(poolSize / SHARE);
    this.reports = new Semaphore(share);
    const transactions = Math.max(1, poolSize - 2 * share);
    this.transactions = new Semaphore(transactions, shareOf(transactions));
    this.pool.on("connect", (client) => this.openedAfter.set(client, this.replacements));
    // Closes outdated connections when they are released; the pool drops closing connections.
    this.pool.on("release", (_error, client) => {
      if ((this.openedAfter.get(client) ?? 0) < this.replacements) end(client);
    });
  }

  static async open(source: DataSource, limits: Limits): Promise<PostgresConnections> {
    source.setOptions({
      extra: {
        statement_timeout: limits.statement,
        idle_in_transaction_session_timeout: WAITS.nextStatement,
        idleTimeoutMillis: IDLE_LIMIT_MS,
        // Sends independent statements without waiting for earlier results.
        pipeline: true,
      },
    });
    await source.initialize();
    const connections = new PostgresConnections(source, limits);
    closeQuietly(connections.pool);
    return connections;
  }

  /** Returns the queue lengths and the connection counts. */
  stats(): DatabaseStats {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return {
      waiting: { connection: waitingCount, transaction: this.transactions.queue, report: this.reports.queue },
      connections: { idle: idleCount, busy: totalCount - idleCount },
    };
  }

  /** Creates a connection outside the pool; the caller opens and closes it. */
  createClient(): Client {
    const { options } = this.pool;
    // The password is not enumerable, so a copy of the options lacks it.
    const client = new Client({ ...options, password: options.password, keepAlive: true });
    this.outside.add(client);
    client.on("end", () => this.outside.delete(client));
    return client;
  }

  /**
   * Closes idle connections now and busy ones when they are released, because after a failover or switchover
   * they may still be connected to the old server, which is read-only and has stale rows.
   */
  replaceAll(): void {
    const inMs = this.replacedAt + REPLACE_INTERVAL_MS - performance.now();
    if (inMs > 0) {
      // Connections opened since the last replacement may also be connected to the old server.
      this.nextReplacement ??= setTimeout(() => {
        this.nextReplacement = undefined;
        this.replaceAll();
      }, inMs).unref();
      return;
    }
    this.replacedAt = performance.now();
    this.replacements++;
    for (let idle = this.pool.idleCount; idle > 0; idle--)
      this.pool.connect().then((client) => client.release(), ignore);
    for (const client of this.outside) end(client);
  }

  /** Runs one query on a pooled connection; throws `unavailable` if none becomes free in time. */
  forQuery<T>(query: (client: PoolClient) => Promise<T>): Promise<T> {
    return retryIfConnectionLost(this.pool, async () => {
      const until = performance.now() + this.limits.call;
      const client = await this.pool.connect().catch(cannotConnect);
      const timer = endAt(until, client);
      let failure: Error | undefined;
      try {
        return await query(client);
      } catch (error) {
        failure = error as Error;
        this.dropIfReadOnly(client, error);
        throw error;
      } finally {
        clearTimeout(timer);
        // Destroy a failed connection, because its state is unknown.
        client.release(failure);
      }
    });
  }

  /** Runs a read like `forQuery`, through TypeORM. */
  forReading<T>(read: (runner: QueryRunner) => Promise<T>): Promise<T> {
    return retryIfConnectionLost(this.pool, () => this.connected(performance.now() + this.limits.call, read));
  }

  /** Runs a report like `forReading`; `owner` is the fair-queueing key. */
  forReport<T>(owner: string, read: (runner: QueryRunner) => Promise<T>): Promise<T> {
    return this.reports.run(this.limits.call, owner, () => this.forReading(read));
  }

  /** Runs one transaction on a pooled connection; only the empty `owner` can take all connections. */
  forTransaction<T>({ call }: Limits, owner: string, work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    const until = performance.now() + call;
    return this.transactions.run(WAITS.connection, owner, () => this.connected(until, work));
  }

  close(): Promise<void> {
    clearTimeout(this.nextReplacement);
    return this.source.destroy();
  }

  private async connected<T>(until: number, work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    const runner = this.source.createQueryRunner("master");
    const client: PoolClient = await runner.connect().catch(cannotConnect);
    const timer = endAt(until, client);
    try {
      return await work(runner);
    } catch (error) {
      this.dropIfReadOnly(client, error);
      throw error;
    } finally {
      clearTimeout(timer);
      await runner.release();
    }
  }

  private dropIfReadOnly(client: PoolClient, error: unknown): void {
    if (driverCode(error) !== READ_ONLY) return;
    this.openedAfter.set(client, -1);
    this.replaceAll();
  }
}

const ignore = () => undefined;

/** Closes a connection gracefully. */
const end = (client: Pick<Client, "end">): void => void client.end().catch(ignore);

/**
 * True if an error means that the connection broke, not only that a statement failed. A query that fails without a
 * SQLSTATE got no response. If a connection ends between two statements, TypeORM reports one of two errors.
 */
export function isConnectionLost(error: unknown): boolean {
  // A GatewayError's code does not come from the driver.
  if (error instanceof GatewayError) return error.code === "unavailable";
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  if (error instanceof QueryRunnerProviderAlreadyReleasedError) return true;
  const code = driverCode(error) ?? "";
  if (SQLSTATE.test(code)) return CONNECTION_LOST.test(code);
  // Any other code may come from an error thrown by the unit's own code.
  return SYSTEM_ERROR.test(code) || error instanceof QueryFailedError;
}

/**
 * Retries a read whose connection has broken, at most once per connection of the pool, because a server restart breaks
 * all of them. If no connection can be opened, throws `unavailable` without a retry.
 */
async function retryIfConnectionLost<T>(pool: Pool, read: () => Promise<T>): Promise<T> {
  const until = performance.now() + RETRY_INTERVAL_MS;
  for (let retries = pool.options.max; ; retries--) {
    try {
      return await read();
    } catch (error) {
      // A GatewayError is also thrown if no connection can be opened; retries would load a server that rejects them.
      if (error instanceof GatewayError || !isConnectionLost(error)) throw error;
      if (retries === 0 || performance.now() > until) throw error;
    }
  }
}

/** Destroys a connection at a deadline, without a closing message, which a frozen server would not read. */
const endAt = (until: number, { connection }: PoolClient): NodeJS.Timeout =>
  setTimeout(() => connection.stream.destroy(), until - performance.now());

/**
 * Prevents an `error` event on a connection in use from ending the process. The listener must be added before the
 * caller gets the connection, because the error may arrive in the same packet as the ready message.
 */
function closeQuietly(pool: Pool): void {
  pool.on("acquire", (client) => client.on("error", ignore));
  // While a connection is idle, the pool itself handles its `error` events.
  pool.on("release", (_, client) => client.off("error", ignore));
}

/** Maps every connection failure to `unavailable`. */
function cannotConnect(cause: unknown): never {
  throw new GatewayError("unavailable", undefined, { cause });
}
