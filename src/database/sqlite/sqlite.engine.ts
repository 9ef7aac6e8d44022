import { setTimeout } from "node:timers/promises";
import type { Database as Connection } from "sqlite3";
import { DataSource, type QueryRunner } from "typeorm";
import type { AbstractSqliteDriver } from "typeorm/driver/sqlite-abstract/AbstractSqliteDriver";
import { Mutex } from "../../common/mutex";
import { WAIT_MS } from "../data-source";
import {
  driverCode,
  type Engine,
  type KeysetQuery,
  type Lookup,
  type PageQuery,
  type Read,
  type TransactionBoundary,
  type TransactionOptions,
  transact,
  type UnitOfWork,
} from "../engine";
import { BACKGROUND, type Limits, SERVING } from "../limits";
import type { DatabaseObserver, DatabaseStats } from "../observer";
import { Semaphore } from "../semaphore";
import { GroupCommit } from "./group-commit";
import { keepPrivate } from "./sqlite-file";
import { SqliteReads } from "./sqlite-reads";

/** IMMEDIATE takes the write lock at once: a unit that reads before it writes cannot fail half-way. */
const FRAME: TransactionBoundary = {
  begin: "BEGIN IMMEDIATE",
  commit: (query) => query("COMMIT"),
  rollback: (query) => query("ROLLBACK").catch(() => undefined),
};

/** The one connection of a data source, which TypeORM has no type for. */
const connectionOf = ({ driver }: DataSource) =>
  (driver as AbstractSqliteDriver).databaseConnection as Connection;

const BUSY = "SQLITE_BUSY";

/**
 * How much of the file is read where the system keeps it (bytes). SQLite empties a cache of its own whenever another
 * connection has written, which is always: what large tables cost would be what it takes to fill it again.
 */
const MAPPED = 2 ** 30;

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
 * How long a transaction waits for the write lock after one has waited for it in vain (ms). Units behind that one have
 * waited too; with the whole time for each transaction they would wait for ever longer.
 */
const IMPATIENT_MS = 50;

/**
 * The embedded database: one file, three connections. TypeORM's driver shares one connection among all
 * callers, so a transaction begun for one request would swallow the statements of others; therefore writes
 * have a connection and a queue to themselves and reads another one, which WAL lets run meanwhile. Reports have the
 * third, one at a time: a statement that waits for its connection takes a thread from all others.
 */
export class SqliteEngine implements Engine {
  private readonly queue = new Mutex();
  private readonly units: GroupCommit;
  private readonly reads: SqliteReads;
  private readonly reports = new Semaphore(1);
  private shortBusyTimeout = false;
  /** Whether a transaction is queued that has not yet taken the units that wait for it. */
  private isScheduled = false;

  private constructor(
    private readonly writer: DataSource,
    private readonly reader: DataSource,
    private readonly reporter: DataSource,
    private readonly limits: Limits,
    observer: DatabaseObserver,
  ) {
    this.units = new GroupCommit(() => this.newRunner(), FRAME, observer);
    this.reads = new SqliteReads(connectionOf(reader), observer);
  }

  /** @param serving whether requests wait for the answers */
  static async open(writer: DataSource, serving: boolean, observer: DatabaseObserver): Promise<SqliteEngine> {
    keepPrivate(String(writer.options.database));
    await writer.initialize();
    // In the order in which they are asked for, so that no statement overtakes the COMMIT that follows it.
    connectionOf(writer).serialize();
    await switchToWal(writer);
    // An answered write survives a power cut.
    await writer.query("PRAGMA synchronous = FULL");
    const reader = await openReader(writer);
    const reporter = await openReader(writer);
    return new SqliteEngine(writer, reader, reporter, serving ? SERVING : BACKGROUND, observer);
  }

  lookup<Row>(lookup: Lookup<Row>, values: readonly string[]): Promise<Row[]> {
    return this.reads.lookup(lookup, values);
  }

  pages<Row>(paging: KeysetQuery<Row>, pages: readonly PageQuery[]): Promise<Row[][]> {
    return this.reads.pages(paging, pages);
  }

  read<T>(query: Read<T>): Promise<T> {
    return this.limited(this.reader, query);
  }

  async report<T>(owner: string, query: Read<T>): Promise<T> {
    await this.reports.begin(this.limits.call, owner);
    try {
      return await this.limited(this.reporter, query);
    } finally {
      this.reports.end();
    }
  }

  transaction<T>(unit: UnitOfWork<T>, { singleStatement = false }: TransactionOptions = {}): Promise<T> {
    const result = this.units.add(unit, singleStatement);
    this.schedule();
    return result;
  }

  withMigrationLock<T>(unit: UnitOfWork<T>): Promise<T> {
    // A migration that rebuilds a table drops the old one, which must not cascade; the switch is ignored
    // inside a transaction.
    return this.queue.run(async () => {
      await this.writer.query("PRAGMA foreign_keys = OFF");
      try {
        return await transact(this.newRunner(), FRAME, unit);
      } finally {
        await this.writer.query("PRAGMA foreign_keys = ON");
      }
    });
  }

  /** There is one writer at a time. */
  async lockInsertOrder(): Promise<void> {}

  someOf(table: string, condition: string, limit: number): string {
    return `rowid IN (SELECT rowid FROM ${table} WHERE ${condition} LIMIT ${limit})`;
  }

  isUnavailable(error: unknown): boolean {
    return UNAVAILABLE.has(driverCode(error) ?? "");
  }

  /** Never: the write lock is taken before a unit reads. */
  isConflict(): boolean {
    return false;
  }

  stats(): DatabaseStats {
    return {
      waiting: { reader: this.reads.waiting, writer: this.units.waitingUnits, report: this.reports.queue },
    };
  }

  async close(): Promise<void> {
    await this.queue.run(async () => undefined);
    await this.reads.close();
    await this.reader.destroy();
    await this.reporter.destroy();
    await this.writer.destroy();
  }

  /** Interrupts whatever statement runs on the connection once the query has taken too long. */
  private async limited<T>(source: DataSource, query: Read<T>): Promise<T> {
    const connection = connectionOf(source);
    // Again and again, for the first may come between two statements.
    const timer = setInterval(() => connection.interrupt(), this.limits.statement);
    try {
      return await query(source.manager);
    } finally {
      clearInterval(timer);
    }
  }

  /** Queues a transaction for the units that wait, unless one is queued already. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    void this.queue.run(() => this.commitWaiting());
  }

  private async commitWaiting(): Promise<void> {
    this.isScheduled = false;
    const failure = await this.units.commitWaiting();
    await this.waitAfter(driverCode(failure) === BUSY);
    if (this.units.isWaiting) this.schedule();
  }

  /** @param wasBusy whether another process kept the write lock for as long as the last transaction waited for it */
  private async waitAfter(wasBusy: boolean): Promise<void> {
    if (wasBusy === this.shortBusyTimeout) return;
    try {
      await this.writer.query(`PRAGMA busy_timeout = ${wasBusy ? IMPATIENT_MS : WAIT_MS}`);
      this.shortBusyTimeout = wasBusy;
    } catch {
      // The time stays as it was; the next transaction tries again, and meets what is wrong itself.
    }
  }

  /** A runner for one unit alone; the driver would hand out the same one for ever. */
  private newRunner(): QueryRunner {
    const driver = this.writer.driver as AbstractSqliteDriver;
    driver.queryRunner = undefined;
    const runner = this.writer.createQueryRunner("master");
    driver.queryRunner = undefined;
    return runner;
  }
}

async function openReader({ options }: DataSource): Promise<DataSource> {
  const reader = await new DataSource({ ...options, migrations: [] }).initialize();
  await reader.query("PRAGMA query_only = ON");
  await reader.query(`PRAGMA mmap_size = ${MAPPED}`);
  return reader;
}

/** Of several processes that start together SQLite lets one switch, and refuses the others without waiting. */
async function switchToWal(source: DataSource): Promise<void> {
  const giveUpAt = Date.now() + WAIT_MS;
  while (true) {
    try {
      await source.query("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (driverCode(error) !== BUSY || Date.now() > giveUpAt) throw error;
      await setTimeout(10);
    }
  }
}
