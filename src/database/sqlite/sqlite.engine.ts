// One class, because the methods of `Engine` share three connections.

import { setTimeout } from "node:timers/promises";
import type { Database as Connection } from "sqlite3";
import { DataSource, type QueryRunner } from "typeorm";
import type { AbstractSqliteDriver } from "typeorm/driver/sqlite-abstract/AbstractSqliteDriver";
import { BatchGate } from "../../common/batch-gate";
import { Mutex } from "../../common/mutex";
import {
  type Dialect,
  driverCode,
  type Engine,
  NO_LOCKS,
  type Read,
  type TransactionBoundary,
  type TransactionOptions,
  transact,
  type UnitOfWork,
} from "../engine";
import { BACKGROUND, type Limits, SERVING, WAITS } from "../limits";
import type { DatabaseObserver, DatabaseStats } from "../observer";
import { Semaphore } from "../semaphore";
import { GroupCommit } from "./group-commit";
import { restrictToOwner } from "./sqlite-file";
import { SqliteReads } from "./sqlite-reads";
import { StatementCache } from "./statement-cache";

/** IMMEDIATE takes the write lock at the start, so that a unit that reads before it writes cannot fail halfway. */
const IMMEDIATE: TransactionBoundary = {
  begin: "BEGIN IMMEDIATE",
  commit: (query) => query("COMMIT"),
  rollback: (query) => query("ROLLBACK").catch(() => undefined),
};

/** Reads one snapshot, without waiting for a writer. */
const SNAPSHOT: TransactionBoundary = { ...IMMEDIATE, begin: "BEGIN" };

/** Returns the only connection of a data source; TypeORM has no type for it. */
const connectionOf = ({ driver }: DataSource) =>
  (driver as AbstractSqliteDriver).databaseConnection as Connection;

const BUSY = "SQLITE_BUSY";

/**
 * Memory-mapped size of the file (bytes). SQLite invalidates its page cache whenever another connection
 * writes, so without memory mapping, reads of large tables would keep refilling the cache.
 */
const MMAP_SIZE = 2 ** 30;

/** Max page cache of the writer (KiB): a batch changes a thousand pages, and the default holds 2 MB. */
const WRITE_CACHE_KIB = 32_768;

const UNAVAILABLE = new Set([
  BUSY,
  "SQLITE_LOCKED",
  "SQLITE_FULL",
  "SQLITE_IOERR",
  "SQLITE_READONLY",
  "SQLITE_CANTOPEN",
  "SQLITE_NOMEM",
  "SQLITE_MISUSE",
  "SQLITE_INTERRUPT",
]);

/**
 * The busy timeout of a transaction after the previous one timed out (ms). It is short because the queued units have
 * already waited, and a full timeout for each transaction would make them wait ever longer.
 */
const SHORT_BUSY_TIMEOUT_MS = 50;

/** SQLite has one writer at a time, so transactions need no locks. */
const DIALECT: Dialect = {
  ...NO_LOCKS,
  hasWritableCtes: false,
  clock: (afterMs = 0) => `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '${afterMs / 1000} seconds')`,
  jsonElements: (parameter) => `json_each(${parameter})`,
  limitedCondition: (table, condition, order, limit) =>
    `rowid IN (SELECT rowid FROM ${table} WHERE ${condition} ORDER BY ${order} LIMIT ${limit})`,
};

/**
 * The SQLite engine: one file, three connections. TypeORM's driver shares one connection among all callers, so a
 * transaction would include statements from other requests. Writes therefore have their own connection and queue, and
 * reads run concurrently (WAL) on a second one. Reports run one at a time on the third, because waiting statements
 * block threads.
 */
export class SqliteEngine implements Engine {
  readonly system = "sqlite";
  readonly dialect = DIALECT;
  /** Interval at which other processes poll the write lock (ms). */
  readonly minPauseMs = 100;
  /** One batch at a time: SQLite runs a connection's statements one by one, and waiting ones occupy threads. */
  readonly readGate = new BatchGate(true);
  private readonly queue = new Mutex();
  private readonly units: GroupCommit;
  readonly reads: SqliteReads;
  /** Prepared statements of the writer's connection. */
  private readonly statements: StatementCache;
  /** Prepared statements of lookups and pages, on the connection for reads. */
  private readonly readStatements: StatementCache;
  /** Prepared statements of dry runs, on the connection for reports. */
  private readonly dryStatements: StatementCache;
  private readonly reports = new Semaphore(1);
  private shortBusyTimeout = false;
  /** True if a queued transaction will pick up the waiting units. */
  private isScheduled = false;

  private constructor(
    private readonly writer: DataSource,
    private readonly reader: DataSource,
    private readonly reporter: DataSource,
    private readonly limits: Limits,
    observer: DatabaseObserver,
    private readonly relay: (channel: string) => void,
  ) {
    this.statements = new StatementCache(connectionOf(writer));
    this.readStatements = new StatementCache(connectionOf(reader));
    this.dryStatements = new StatementCache(connectionOf(reporter));
    this.units = new GroupCommit(() => newRunner(writer, this.statements), IMMEDIATE, observer);
    this.reads = new SqliteReads(this.readStatements, observer, (run) => this.limited(reader, run));
  }

  /** Opens the database file, creating it if missing; `relay` passes announcements to other processes. */
  static async open(
    writer: DataSource,
    serving: boolean,
    observer: DatabaseObserver,
    relay: (channel: string) => void,
  ): Promise<SqliteEngine> {
    restrictToOwner(String(writer.options.database));
    await writer.initialize();
    // Serializes the statements, so that a COMMIT cannot overtake an earlier statement.
    connectionOf(writer).serialize();
    // SQLite does not wait for other processes that also switch to WAL.
    await retryWhileBusy(WAITS.writer, () => writer.query("PRAGMA journal_mode = WAL"));
    // An acknowledged write must survive a power failure.
    await writer.query("PRAGMA synchronous = FULL");
    await writer.query(`PRAGMA cache_size = -${WRITE_CACHE_KIB}`);
    const reader = await openReader(writer);
    const reporter = await openReader(writer);
    return new SqliteEngine(writer, reader, reporter, serving ? SERVING : BACKGROUND, observer, relay);
  }

  read<T>(query: Read<T>): Promise<T> {
    return this.limited(this.reader, () => query(this.reader.manager));
  }

  report<T>(owner: string, query: Read<T>): Promise<T> {
    return this.reporting(owner, () => query(this.reporter.manager));
  }

  dryRun<T>(owner: string, unit: UnitOfWork<T>): Promise<T> {
    return this.reporting(owner, () =>
      transact(newRunner(this.reporter, this.dryStatements), SNAPSHOT, unit),
    );
  }

  transaction<T>(unit: UnitOfWork<T>, options: TransactionOptions = {}): Promise<T> {
    const result = this.units.add(unit, options);
    this.schedule();
    return result;
  }

  withMigrationLock<T>(unit: UnitOfWork<T>): Promise<T> {
    // A migration that rebuilds a table drops the old one, and this must not cascade. SQLite ignores this PRAGMA inside
    // a transaction.
    return this.queue.runExclusive(async () => {
      await this.writer.query("PRAGMA foreign_keys = OFF");
      try {
        return await retryWhileBusy(BACKGROUND.call, () =>
          transact(newRunner(this.writer, this.statements), IMMEDIATE, unit),
        );
      } finally {
        await this.writer.query("PRAGMA foreign_keys = ON");
      }
    });
  }

  /** No-op, because SQLite has one writer at a time. */
  async lockInsertOrder(): Promise<void> {}

  /** Uses the relay, because SQLite has no notifications. */
  async announce(channel: string): Promise<void> {
    this.relay(channel);
  }

  /** No-op, because SQLite has no notifications. */
  listen(): () => Promise<void> {
    return async () => undefined;
  }

  async canWrite(): Promise<boolean> {
    return true;
  }

  isUnavailable(error: unknown): boolean {
    return UNAVAILABLE.has(driverCode(error) ?? "");
  }

  /** Always false, because a unit holds the write lock before it reads. */
  isConflict(): boolean {
    return false;
  }

  /** Always false, because SQLite has one writer at a time. */
  wasRolledBack(): boolean {
    return false;
  }

  stats(): DatabaseStats {
    return {
      waiting: {
        reader: this.readGate.waitingCalls,
        writer: this.units.waitingUnits,
        report: this.reports.queue,
      },
    };
  }

  async close(): Promise<void> {
    await this.queue.runExclusive(async () => undefined);
    this.readStatements.clear();
    await this.reader.destroy();
    this.dryStatements.clear();
    await this.reporter.destroy();
    this.statements.clear();
    await this.writer.destroy();
  }

  /** Runs work on the connection for reports; owners share it round-robin. */
  private reporting<T>(owner: string, work: () => Promise<T>): Promise<T> {
    return this.reports.run(this.limits.call, owner, () => this.limited(this.reporter, work));
  }

  /** Interrupts a connection's statements when the work exceeds the time limit. */
  private async limited<T>(source: DataSource, work: () => Promise<T>): Promise<T> {
    const connection = connectionOf(source);
    // Interrupts repeatedly, because the first interrupt may come between two statements.
    const timer = setInterval(() => connection.interrupt(), this.limits.statement);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  }

  /** Queues a transaction for the waiting units, unless one is already queued. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    void this.queue.runExclusive(() => this.commitWaiting());
  }

  private async commitWaiting(): Promise<void> {
    this.isScheduled = false;
    const failure = await this.limited(this.writer, () => this.units.commitWaiting());
    await this.adjustBusyTimeout(driverCode(failure) === BUSY);
    if (this.units.isWaiting) this.schedule();
  }

  /** Shortens the busy timeout after a transaction that timed out waiting for the lock, and restores it later. */
  private async adjustBusyTimeout(wasBusy: boolean): Promise<void> {
    if (wasBusy === this.shortBusyTimeout) return;
    try {
      await this.writer.query(`PRAGMA busy_timeout = ${wasBusy ? SHORT_BUSY_TIMEOUT_MS : WAITS.writer}`);
      this.shortBusyTimeout = wasBusy;
    } catch {
      // If the timeout cannot be changed, the old one stays: the next transaction tries again and reports any problem.
    }
  }
}

/** Returns a fresh query runner for one unit, because the driver always returns the same one. */
function newRunner(source: DataSource, statements: StatementCache): QueryRunner {
  const driver = source.driver as AbstractSqliteDriver;
  driver.queryRunner = undefined;
  const runner = source.createQueryRunner("master");
  driver.queryRunner = undefined;
  runner.connect = async () => statements;
  return runner;
}

async function openReader(writer: DataSource): Promise<DataSource> {
  const { options, entityMetadatas, entityMetadatasMap } = writer;
  const reader = await new DataSource({ ...options, entities: [], migrations: [] }).initialize();
  // Reuses the writer's entity metadata, because building it again takes time and memory.
  Object.assign(reader, { entityMetadatas, entityMetadatasMap });
  await reader.query("PRAGMA query_only = ON");
  await reader.query(`PRAGMA mmap_size = ${MMAP_SIZE}`);
  return reader;
}

/** Retries work that fails because another process has locked the file. */
async function retryWhileBusy<T>(maxWaitMs: number, work: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + maxWaitMs;
  while (true) {
    try {
      return await work();
    } catch (error) {
      if (driverCode(error) !== BUSY || Date.now() > giveUpAt) throw error;
      await setTimeout(10);
    }
  }
}
