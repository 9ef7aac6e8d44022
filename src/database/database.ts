import {
  type DataSource,
  type EntityManager,
  type EntityTarget,
  MigrationExecutor,
  type ObjectLiteral,
} from "typeorm";
import { coalesce, coalesceByKey } from "../common/coalesce";
import { withSpan } from "../common/spans";
import { GatewayError, StartupError } from "../errors";
import { databaseLabel } from "./database-label";
import type { Engine, KeysetQuery, Lookup, PageQuery, Read, TransactionOptions, UnitOfWork } from "./engine";
import { type DatabaseObserver, type DatabaseStats, type Failure, NO_OBSERVER } from "./observer";
import { PostgresEngine } from "./postgres/postgres.engine";
import { SqliteEngine } from "./sqlite/sqlite.engine";

/**
 * A list whose rows processes insert one after the other, so that they become visible in the order of their ids.
 * Features declare theirs once, at module scope.
 */
export class InsertOrderLock {
  private static readonly declared = new Map<number, InsertOrderLock>();

  /** @param number of this list alone, and the same in every version: processes of two versions exclude each other by it */
  constructor(readonly number: number) {
    if (InsertOrderLock.declared.has(number))
      throw new Error(`The insert-order lock ${number} is declared twice.`);
    InsertOrderLock.declared.set(number, this);
  }

  /** Every list, in the order in which a unit that needs several takes them. */
  static get all(): readonly InsertOrderLock[] {
    return [...InsertOrderLock.declared.values()].sort((a, b) => a.number - b.number);
  }
}

/**
 * The only way to the rows. Whatever happens to the database, callers meet `unavailable`, an error of their
 * own unit, or a bug.
 */
export class Database {
  private lastWriteFailed = false;

  private constructor(
    private readonly source: DataSource,
    private readonly engine: Engine,
    private readonly observer: DatabaseObserver,
  ) {}

  /**
   * Connects.
   * @param source as made by `createDataSource`; closed again by `close`
   * @param options.serving whether requests wait for the answers: then each comes, or fails, within seconds
   * @param options.observer told how the database does
   * @throws StartupError naming the database
   */
  static open(source: DataSource, { serving = false, observer = NO_OBSERVER } = {}): Promise<Database> {
    return starting(source, async () => {
      const engine =
        source.options.type === "postgres"
          ? await PostgresEngine.open(source, serving, observer)
          : await SqliteEngine.open(source, serving, observer);
      return new Database(source, engine, observer);
    });
  }

  /** The rows that have one of the texts, in any order. @throws GatewayError `unavailable` */
  lookup<Row>(lookup: Lookup<Row>, values: readonly string[]): Promise<Row[]> {
    return this.guarded("database lookup", () => this.engine.lookup(lookup, values));
  }

  /** The rows of each page, in the order of their ids. @throws GatewayError `unavailable` */
  pages<Row>(paging: KeysetQuery<Row>, pages: readonly PageQuery[]): Promise<Row[][]> {
    return this.guarded("database pages", () => this.engine.pages(paging, pages));
  }

  /**
   * Joins lookups into one query, as the function of this name does.
   * @param what of the lookups
   */
  coalesceByKey<V>(
    what: string,
    load: (keys: string[]) => Promise<ReadonlyMap<string, V>>,
  ): (key: string) => Promise<V | undefined> {
    return coalesceByKey(load, this.watched(what));
  }

  /**
   * Joins calls into one, as the function of this name does.
   * @param what of the calls
   * @param most items of one call
   */
  coalesce<T, V>(
    what: string,
    work: (items: readonly T[]) => Promise<ArrayLike<V | Error>>,
    most?: number,
  ): (item: T) => Promise<V> {
    return coalesce(work, { ...this.watched(what), ...(most !== undefined && { most }) });
  }

  /**
   * Runs a reading query on committed rows, to all of which an index leads: whoever presents a key waits behind it.
   * @throws GatewayError `unavailable`
   */
  read<T>(query: Read<T>): Promise<T> {
    return this.guarded("database read", () => this.engine.read(query));
  }

  /**
   * As `read`, for a query that may read many rows. Reports have connections of their own, where owners take turns.
   * @param owner for whom: the id of an organization
   * @throws GatewayError `unavailable`, also for a query that takes longer than 3 seconds while requests are served
   */
  report<T>(owner: string, query: Read<T>): Promise<T> {
    return this.guarded("database report", () => this.engine.report(owner, query));
  }

  /**
   * Deletes rows whose text in a column sorts before another, `limit` at most. @returns how many
   */
  async deleteBefore(
    tx: EntityManager,
    entity: EntityTarget<ObjectLiteral>,
    { column, before, limit }: { column: string; before: string; limit: number },
  ): Promise<number> {
    const { tableName } = tx.connection.getMetadata(entity);
    const { affected } = await tx
      .createQueryBuilder()
      .delete()
      .from(entity)
      .where(this.engine.someOf(tableName, `${column} < :before`, limit), { before })
      .execute();
    return affected ?? 0;
  }

  /**
   * Runs a unit of work in a transaction and answers once it is durable.
   * @param manner.background for what no request waits for
   * @throws whatever the unit throws, after which nothing of it remains; GatewayError `unavailable`,
   *   or `conflict` where a concurrent unit was first
   */
  write<T>(unit: UnitOfWork<T>, manner?: Pick<TransactionOptions, "background">): Promise<T> {
    return this.writing(() => this.engine.transaction(unit, manner));
  }

  /** Whether the last write that was tried was kept: a full disk, say, refuses writes while reads go on. */
  get lastWriteSucceeded(): boolean {
    return !this.lastWriteFailed;
  }

  /**
   * Joins inserts of one kind, each a unit of its own to its caller, into one statement and one commit: those that
   * come while one is under way. Should the statement fail, each row is tried by itself.
   * @param insert adds rows in their order and answers for each a value, or an error that is this row's alone
   * @param options.singleStatement whether that is one statement, `lockInsertOrder` aside
   */
  batchInserts<Row, T>(
    insert: (tx: EntityManager, rows: readonly Row[]) => Promise<(T | Error)[]>,
    { singleStatement = false }: Pick<TransactionOptions, "singleStatement"> = {},
  ): (row: Row) => Promise<T> {
    return this.coalesce("inserts", async (rows: readonly Row[]) => {
      try {
        return await this.writing(() =>
          this.engine.transaction((tx) => insert(tx, rows), { singleStatement }),
        );
      } catch (error) {
        // Where the database is gone, nobody knows whether the rows were kept: a second try could add them twice.
        if (rows.length === 1 || isUnavailable(error)) throw error;
        const alone = rows.map((row) =>
          this.write((tx) => insert(tx, [row])).then(([value]) => value as T | Error),
        );
        return (await Promise.allSettled(alone)).map((outcome) =>
          outcome.status === "fulfilled" ? outcome.value : asError(outcome.reason),
        );
      }
    });
  }

  /** As `write`, but one at a time among all processes on this database: for migrations and first start. */
  withMigrationLock<T>(unit: UnitOfWork<T>): Promise<T> {
    return this.guarded("database write", () => this.engine.withMigrationLock(unit));
  }

  /**
   * Inside a unit that is about to write: no other unit does so until this one has ended. The rows of a list thus
   * become visible in the order of their ids.
   */
  lockInsertOrder(tx: EntityManager, list: InsertOrderLock): Promise<void> {
    return this.engine.lockInsertOrder(tx, list.number);
  }

  /**
   * Inside a unit that takes a right away: lets the inserts into all lists that already judged their callers commit, and
   * keeps others waiting until this unit has. What a caller writes is thus visible before the answer of this unit, or is
   * refused.
   */
  async waitForInserts(tx: EntityManager): Promise<void> {
    for (const list of InsertOrderLock.all) await this.lockInsertOrder(tx, list);
  }

  /**
   * Brings the tables up to date; safe when several processes start at once. Answers what it ran.
   * @throws StartupError naming the database, also when a newer program has made tables that this one does not know
   */
  async migrate(): Promise<string[]> {
    const run = () =>
      this.withMigrationLock(async (tx) => {
        const executor = new MigrationExecutor(this.source, tx.queryRunner);
        executor.transaction = "none";
        await this.assertNotNewer(executor);
        return executor.executePendingMigrations();
      });
    return (await starting(this.source, run)).map(({ name }) => name);
  }

  /** Names of the migrations that `migrate` would run. @throws StartupError as `migrate` does */
  async pendingMigrations(): Promise<string[]> {
    const executor = new MigrationExecutor(this.source);
    const pending = async () => {
      await this.assertNotNewer(executor);
      return executor.getPendingMigrations();
    };
    return (await starting(this.source, pending)).map(({ name }) => name);
  }

  /** What an older program does to rows whose rules it does not know, nobody can tell. */
  private async assertNotNewer(executor: MigrationExecutor): Promise<void> {
    const known = new Set((await executor.getAllMigrations()).map(({ name }) => name));
    const [unknown] = (await executor.getExecutedMigrations()).filter(({ name }) => !known.has(name));
    if (unknown !== undefined) {
      throw new StartupError(
        `the database ${databaseLabel(this.source)} was brought up to date by a newer version of this program, ` +
          `with ${unknown.name}; run that version, or restore a backup from before`,
      );
    }
  }

  /** How busy the way to the rows is now. */
  stats(): DatabaseStats {
    return this.engine.stats();
  }

  close(): Promise<void> {
    return this.engine.close();
  }

  private async writing<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await this.guarded("database write", work);
      this.lastWriteFailed = false;
      return result;
    } catch (error) {
      if (isUnavailable(error)) this.lastWriteFailed = true;
      throw error;
    }
  }

  private async guarded<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await withSpan(name, work);
    } catch (error) {
      if (error instanceof GatewayError) {
        if (isUnavailable(error)) this.observer.failed("unavailable");
        throw error;
      }
      const failure = this.failureOf(error);
      this.observer.failed(failure);
      throw failure === "unexpected" ? error : new GatewayError(failure, undefined, { cause: error });
    }
  }

  private failureOf(error: unknown): Failure {
    if (this.engine.isConflict(error)) return "conflict";
    return this.engine.isUnavailable(error) ? "unavailable" : "unexpected";
  }

  private watched(what: string) {
    return { name: `batch of ${what}`, joined: (calls: number) => this.observer.joined(what, calls) };
  }
}

const isUnavailable = (error: unknown) => error instanceof GatewayError && error.code === "unavailable";

const asError = (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason)));

/** Before anything works, whoever starts the process wants to know which database does not. */
async function starting<T>(source: DataSource, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof StartupError) throw cause;
    throw new StartupError(`the database ${databaseLabel(source)} cannot be used`, { cause });
  }
}
