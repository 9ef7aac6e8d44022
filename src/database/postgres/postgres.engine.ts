import type { DataSource, EntityManager } from "typeorm";
import { StartupError } from "../../errors";
import { databaseLabel } from "../database-label";
import {
  type Dialect,
  driverCode,
  type Engine,
  type Read,
  type TextLock,
  type TransactionOptions,
  transact,
  type UnitOfWork,
} from "../engine";
import { BACKGROUND, MIGRATING, SERVING } from "../limits";
import type { DatabaseObserver, DatabaseStats } from "../observer";
import { isConnectionLost, PostgresConnections } from "./postgres-connections";
import { identityOf } from "./postgres-identity";
import { listenOn } from "./postgres-listener";
import { PostgresReads } from "./postgres-reads";
import {
  BEGIN,
  BEGIN_SNAPSHOT,
  commit,
  LOCK_LIST,
  queryOnce,
  rollback,
  serialize,
  transactInPairs,
} from "./postgres-transactions";
import { queryPrepared } from "./prepared-statements";

/** SQLSTATEs of temporary failures: connection, deadlock, resources, operator intervention (manual, appendix A). */
const UNAVAILABLE = /^(08|40|53|57|58)[0-9A-Z]{3}$|^25006$|^42501$|^55P03$/;

const UNIQUE_VIOLATION = "23505";

/** SQLSTATEs of statements that waited too long: statement timeout, lock timeout or deadlock. */
const WAITED_TOO_LONG = new Set(["57014", "55P03", "40P01"]);

/** Arbitrary advisory lock keys that other applications are unlikely to use. */
const EXCLUSIVE_LOCK = 7_236_418_905;
const ORDER_LOCK = 723_641;
const TEXT_LOCK_SEED = 723_642;

const TEXT_LOCKS: Record<TextLock, string> = {
  exclusive: "pg_advisory_xact_lock",
  shared: "pg_advisory_xact_lock_shared",
  tryExclusive: "pg_try_advisory_xact_lock",
  trySharing: "pg_try_advisory_xact_lock_shared",
};

/** Returns the advisory lock key for part of a list, derived from the random second half of the part's UUID. */
const partKey = (list: number, part: string): string =>
  String(BigInt.asIntN(64, BigInt(`0x${part.slice(-17).replace("-", "")}`) + BigInt(list)));

const DIALECT: Dialect = {
  hasWritableCtes: true,
  lock: (query, { skipLocked = false } = {}) => {
    // Locks only the rows of the main table, not joined rows.
    const locking = query.clone().setLock("pessimistic_write", undefined, [query.alias]);
    return skipLocked ? locking.setOnLocked("skip_locked") : locking;
  },
  updateLock: ({ skipLocked = false } = {}) => (skipLocked ? "FOR UPDATE SKIP LOCKED" : "FOR UPDATE"),
  shareLock: (...tables) => `FOR SHARE OF ${tables.join(", ")}`,
  textLock: (text, mode) => `${TEXT_LOCKS[mode]}(hashtextextended(${text}, ${TEXT_LOCK_SEED}))`,
  clock: (afterMs = 0) =>
    `to_char((clock_timestamp() + interval '${afterMs} milliseconds') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  jsonElements: (parameter) => `json_array_elements(${parameter}::json)`,
  // Skips rows locked by a process that is deleting or updating them.
  limitedCondition: (table, condition, order, limit) =>
    `ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} ORDER BY ${order} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
};

/**
 * The PostgreSQL engine, on a pool of connections. Compatible databases may lack some of what it uses (advisory locks, `LISTEN`,
 * read committed transactions, `SKIP LOCKED`, `ctid`, `lock_timeout`, sorted indexes, and DDL in transactions); see "Compatible
 * databases" in docs/postgresql.md for the effects.
 */
export class PostgresEngine implements Engine {
  readonly system = "postgresql";
  readonly dialect = DIALECT;
  readonly minPauseMs = 0;
  readonly reads: PostgresReads;

  private constructor(
    private readonly connections: PostgresConnections,
    private readonly observer: DatabaseObserver,
    readonly identity: string,
  ) {
    this.reads = new PostgresReads(connections);
  }

  /**
   * Connects to the database.
   * @throws StartupError if the encoding is not UTF-8
   */
  static async open(
    source: DataSource,
    serving: boolean,
    observer: DatabaseObserver,
  ): Promise<PostgresEngine> {
    const connections = await PostgresConnections.open(source, serving ? SERVING : BACKGROUND);
    const [{ server_encoding: encoding }] = await source.query("SHOW server_encoding");
    if (encoding !== "UTF8") {
      await connections.close();
      throw new StartupError(
        `the database ${databaseLabel(source)} is encoded in ${encoding} instead of UTF8`,
      );
    }
    return new PostgresEngine(connections, observer, await identityOf(source));
  }

  read<T>(query: Read<T>, { isRepeated = false }: TransactionOptions = {}): Promise<T> {
    return this.connections.forReading(async (runner) => {
      if (isRepeated) await serialize(runner, queryPrepared);
      return query(runner.manager);
    });
  }

  report<T>(owner: string, query: Read<T>): Promise<T> {
    return this.connections.forReport(owner, (runner) => query(runner.manager));
  }

  dryRun<T>(owner: string, unit: UnitOfWork<T>): Promise<T> {
    return this.connections.forReport(owner, async (runner) => {
      await serialize(runner, queryPrepared);
      return transact(runner, { begin: BEGIN_SNAPSHOT, commit: () => commit(runner), rollback }, unit);
    });
  }

  transaction<T>(unit: UnitOfWork<T>, options: TransactionOptions = {}): Promise<T> {
    const { limits = this.connections.limits } = options;
    const begin = [
      BEGIN,
      ...(options.limits === undefined ? [] : [`SET LOCAL statement_timeout = ${limits.statement}`]),
      ...(options.lockWaitMs === undefined ? [] : [`SET LOCAL lock_timeout = ${options.lockWaitMs}`]),
    ].join("; ");
    return this.connections.forTransaction(limits, options.owner ?? "", async (runner) => {
      const began = performance.now();
      try {
        if (options.singleStatement) return await transactInPairs(runner, begin, unit);
        await serialize(runner, options.isRepeated ? queryPrepared : queryOnce);
        return await transact(runner, { begin, commit: () => commit(runner), rollback }, unit);
      } finally {
        this.observer.transaction((performance.now() - began) / 1000);
      }
    });
  }

  withMigrationLock<T>(unit: UnitOfWork<T>): Promise<T> {
    const lockedUnit: UnitOfWork<T> = async (tx) => {
      await tx.query("SELECT pg_advisory_xact_lock($1)", [EXCLUSIVE_LOCK]);
      return unit(tx);
    };
    return this.transaction(lockedUnit, { limits: MIGRATING });
  }

  /** IDs are assigned on insert, but rows become visible on commit, so inserts must wait for each other. */
  async lockInsertOrder(tx: EntityManager, list: number, parts?: readonly string[]): Promise<void> {
    if (parts === undefined) {
      await tx.query(LOCK_LIST, [ORDER_LOCK, list]);
      return;
    }
    // Sorts the parts, so that units that lock several of the same parts do not deadlock.
    const keys = [...new Set(parts)].sort().map((part) => partKey(list, part));
    const locks = keys.map((_, i) => `pg_advisory_xact_lock($${i + 3})`);
    await tx.query(`SELECT ${["pg_advisory_xact_lock_shared($1, $2)", ...locks].join(", ")}`, [
      ORDER_LOCK,
      list,
      ...keys,
    ]);
  }

  announce(channel: string): Promise<void> {
    return this.connections.forTransaction(this.connections.limits, "", (runner) =>
      runner.query("SELECT pg_notify($1, '')", [channel]),
    );
  }

  listen(channel: string, listener: () => void): () => Promise<void> {
    return listenOn(() => this.connections.createClient(), channel, listener);
  }

  async canWrite(): Promise<boolean> {
    const [row] = await this.connections.forReading((runner) => runner.query("SHOW transaction_read_only"));
    const canWrite = row.transaction_read_only === "off";
    if (!canWrite) this.connections.replaceAll();
    return canWrite;
  }

  isUnavailable(error: unknown): boolean {
    return isConnectionLost(error) || UNAVAILABLE.test(driverCode(error) ?? "");
  }

  isConflict(error: unknown): boolean {
    return driverCode(error) === UNIQUE_VIOLATION;
  }

  wasRolledBack(error: unknown): boolean {
    return WAITED_TOO_LONG.has(driverCode(error) ?? "");
  }

  stats(): DatabaseStats {
    return this.connections.stats();
  }

  close(): Promise<void> {
    return this.connections.close();
  }
}
