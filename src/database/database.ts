// One class, because all calls share the mapping of outages and races to errors, the spans and the measurements.

import { SpanKind, type SpanOptions } from "@opentelemetry/api";
import type { DataSource, EntityTarget, ObjectLiteral } from "typeorm";
import { coalesce, coalesceByKey, indexBy, MAX_ITEMS } from "../common/coalesce";
import { getOrCreate } from "../common/get-or-create";
import { lruCache } from "../common/lru-cache";
import { withSpan } from "../common/spans";
import { GatewayError } from "../errors";
import { Announcements } from "./announcements";
import { starting } from "./database-label";
import type { Engine, KeysetQuery, Lookup, PageQuery, Read, TransactionOptions } from "./engine";
import { FairBatches, type FairBatchesOptions } from "./fair-batches";
import { type DatabaseObserver, type DatabaseStats, type Failure, NO_OBSERVER } from "./observer";
import { allReturning } from "./returning";
import { pendingMigrations, runMigrations } from "./run-migrations";
import { SqliteEngine } from "./sqlite/sqlite.engine";
import { asDryRun, type Transaction, type Tx, transactionOf, type UnitOfWork } from "./unit-of-work";

/** Max time that a batch waits for a lock (ms) if it has rows of several organizations, which all wait. */
const MAX_LOCK_WAIT_MS = 250;

/** Max organizations to track; an evicted organization starts a new batch. */
const MAX_OWNERS = 1_000;

/**
 * The only access to the database. It maps every outage to `unavailable` and every race to `conflict`; other errors
 * come from the caller's own code.
 */
export class Database {
  /** True if the last write succeeded: on a full disk, for example, writes fail but reads still work. */
  readonly lastWriteSucceeded: boolean = true;

  private readonly announcements: Announcements;

  private readonly spanOptions: SpanOptions;

  private constructor(
    private readonly source: DataSource,
    private readonly engine: Engine,
    private readonly observer: DatabaseObserver,
  ) {
    this.announcements = new Announcements(engine);
    this.spanOptions = { kind: SpanKind.CLIENT, attributes: { "db.system.name": engine.system } };
  }

  /**
   * Connects to the database.
   * @param source a data source from `createDataSource`; `close` closes it
   * @param options.serving true if requests wait for results; if so, each call completes or fails within seconds
   * @param options.observer receives measurements
   * @param options.relay passes announcements to other processes that share an SQLite file, which must call `relay`
   * @throws StartupError with the database label
   */
  static open(
    source: DataSource,
    { serving = false, observer = NO_OBSERVER, relay = (_channel: string): void => undefined } = {},
  ): Promise<Database> {
    return starting(source, async () => {
      const engine =
        source.options.type === "postgres"
          ? await loadPostgresEngine().open(source, serving, observer)
          : await SqliteEngine.open(source, serving, observer, relay);
      return new Database(source, engine, observer);
    });
  }

  /** Returns the rows that match any of the values, in any order. */
  lookup<Row>(lookup: Lookup<Row>, values: readonly string[]): Promise<Row[]> {
    return this.guarded("database lookup", () => this.engine.reads.lookup(lookup, values));
  }

  /**
   * Coalesces lookups by key into one query and reports the batches to the observer.
   * @param what plural name of the lookups
   * @param load maps distinct keys to values, and omits keys without a value
   */
  coalesceByKey<V>(
    what: string,
    load: (keys: string[]) => Promise<ReadonlyMap<string, V>>,
  ): (key: string) => Promise<V | undefined> {
    return coalesceByKey(load, this.watched(what));
  }

  /**
   * Coalesces lookups of single rows into one query and reports the batches to the observer. On SQLite, the
   * query is combined with other lookups and pages.
   * @param what plural name of the lookups
   * @param keyOf returns the value that identifies a row
   */
  lookups<Row>(
    what: string,
    lookup: Lookup<Row>,
    keyOf: (row: Row) => string,
  ): (key: string) => Promise<Row | undefined> {
    return coalesceByKey(async (keys) => indexBy(await this.lookup(lookup, keys), keyOf), this.gated(what));
  }

  /** Coalesces reads of pages into queries of at most `maxPages` pages, like `lookups`. */
  pages<Row>(what: string, paging: KeysetQuery<Row>, maxPages: number): (page: PageQuery) => Promise<Row[]> {
    return coalesce(
      (pages: readonly PageQuery[]) =>
        this.guarded("database pages", () => this.engine.reads.pages(paging, pages)),
      { ...this.gated(what), maxBatchSize: maxPages },
    );
  }

  /**
   * Runs a read-only query on committed rows. It must use an index, because key lookups queue behind it.
   * @param options.isRepeated true for a query that always runs the same few statements, to keep them prepared
   */
  read<T>(query: Read<T>, options: Pick<TransactionOptions, "isRepeated"> = {}): Promise<T> {
    return this.guarded("database read", () => this.engine.read(query, options));
  }

  /**
   * Runs a read-only query that may read many rows, on separate connections shared round-robin among owners.
   * @param owner the ID of an organization
   * @throws GatewayError `unavailable`, including after 3 seconds in a serving process
   */
  report<T>(owner: string, query: Read<T>): Promise<T> {
    return this.guarded("database report", () => this.engine.report(owner, query));
  }

  /**
   * Runs a unit of work that stores nothing, on the connections for reports, so that no other unit waits for it.
   * @param owner the ID of an organization
   */
  dryRun<T>(owner: string, unit: UnitOfWork<T>): Promise<T> {
    return this.guarded("database report", () =>
      this.engine.dryRun(owner, (manager) =>
        unit(asDryRun(transactionOf(manager, this.engine, this.announcements).tx)),
      ),
    );
  }

  /**
   * Calls a listener on each announcement on a channel (from this process, from other processes on PostgreSQL, or
   * through `relay`), and after gaps that may have lost announcements. This saves polling but guarantees
   * nothing: a connection may be down for a long time.
   * @param listener must not throw; receives the detail of announcements by this process
   * @returns a function that stops listening; call it before `close`
   */
  listen(channel: string, listener: (detail?: string) => void): () => Promise<void> {
    return this.announcements.listen(channel, listener);
  }

  /** Relays another worker's announcement to the listeners of this process. */
  relay(channel: string): void {
    this.announcements.relay(channel);
  }

  /**
   * Deletes at most `limit` rows whose text in an indexed column sorts before a given text, in the column's order.
   * @param range.after the result of the previous call
   * @returns the last deleted text; undefined if no rows are left
   */
  async deleteBefore(
    tx: Tx,
    entity: EntityTarget<ObjectLiteral>,
    {
      column,
      after = "",
      before,
      limit,
    }: { column: string; after?: string | undefined; before: string; limit: number },
  ): Promise<string | undefined> {
    const { tableName } = tx.connection.getMetadata(entity);
    const condition = `${column} >= $1 and ${column} < $2`;
    const rows = await allReturning<{ text: string }>(
      tx,
      `delete from ${tableName} where ${tx.limitedCondition(tableName, condition, column, limit)}
       returning ${column} as text`,
      [after, before],
    );
    if (rows.length < limit) return undefined;
    return rows.reduce((last, { text }) => (text > last ? text : last), after);
  }

  /**
   * Runs a unit of work in a transaction and resolves once it is durable.
   * @param options.limits timeouts for work that no request waits for
   * @param options.isRepeated true for a unit that always runs the same few statements, to keep them prepared
   * @param options.tx the transaction of another unit to join; the work then commits or rolls back with that unit
   * @throws the error of the unit, after a rollback; GatewayError `unavailable`, or `conflict` with a concurrent unit
   */
  write<T>(
    unit: UnitOfWork<T>,
    {
      tx,
      ...options
    }: Pick<TransactionOptions, "limits" | "isRepeated" | "owner"> & { tx?: Tx | undefined } = {},
  ): Promise<T> {
    return tx === undefined ? this.committing(unit, options) : unit(tx);
  }

  /**
   * Runs a unit of work for an organization, like `write`. While the organization's units wait, for example for each
   * other's locks, other organizations still get connections.
   * @param owner the ID of the organization, if known
   */
  writeFor<T>(
    owner: string | undefined,
    unit: UnitOfWork<T>,
    options: Pick<TransactionOptions, "limits" | "isRepeated"> & { tx?: Tx | undefined } = {},
  ): Promise<T> {
    return this.write(unit, { ...options, owner });
  }

  /** See `Dialect.clock`. */
  clock(afterMs?: number): string {
    return this.engine.dialect.clock(afterMs);
  }

  /** Min length of a pause that lets other processes get a write lock (ms). */
  get minPauseMs(): number {
    return this.engine.minPauseMs;
  }

  /**
   * An SQL expression for properties that distinguish the database from restored copies, as JSON; undefined on SQLite.
   */
  get identity(): string | undefined {
    return this.engine.identity;
  }

  /** Checks that the database accepts writes; a standby or read-only server does not. */
  canWrite(): Promise<boolean> {
    return this.guarded("database read", () => this.engine.canWrite());
  }

  /**
   * Batches concurrent inserts of one kind into one statement and one commit. If a batch fails, each row is
   * retried individually.
   * @param insert inserts rows in order and returns one value or Error per row
   * @param options.singleStatement true if `insert` runs one statement, not counting `lockInsertOrder`
   * @param options.owner the organization of all rows, as in `writeFor`
   */
  batchInserts<Row, T>(
    insert: (tx: Tx, rows: readonly Row[]) => Promise<(T | Error)[]>,
    { singleStatement = false, owner }: Pick<TransactionOptions, "singleStatement" | "owner"> = {},
  ): (row: Row) => Promise<T> {
    return this.batches<Row, T>({
      ownerOf: () => "",
      maxRows: MAX_ITEMS,
      store: insert,
      write: (unit, again) =>
        this.committing(unit, {
          owner,
          isRepeated: true,
          singleStatement: singleStatement && again === undefined,
        }),
      waitedForLock: () => false,
    });
  }

  /**
   * Batches inserts like `batchInserts`, but by organization, because they may wait for an organization's locks.
   * @param ownerOf returns the ID of a row's organization, if known
   */
  batchInsertsByOwner<Row, T>(
    ownerOf: (row: Row) => string | undefined,
    insert: (tx: Tx, rows: readonly Row[]) => Promise<(T | Error)[]>,
  ): (row: Row) => Promise<T> {
    const batches = lruCache<string, (row: Row) => Promise<T>>(MAX_OWNERS);
    return (row) => {
      const owner = ownerOf(row);
      return getOrCreate(batches, owner ?? "", () => this.batchInserts(insert, { owner }))(row);
    };
  }

  /**
   * Batches rows, with one transaction per batch; organizations take turns, as described for `FairBatches`.
   * If a batch waits too long for a lock, it is rolled back, and each organization's rows are stored
   * separately, on that organization's connections.
   */
  batchFairly<Row, T>({
    limits,
    ...options
  }: Pick<FairBatchesOptions<Row, T>, "ownerOf" | "costOf" | "maxCost" | "maxRows" | "store"> &
    Pick<TransactionOptions, "limits">): (row: Row) => Promise<T> {
    return this.batches<Row, T>({
      ...options,
      write: (unit, owner) => {
        const lockWaitMs = owner === undefined ? MAX_LOCK_WAIT_MS : undefined;
        return this.committing(unit, { owner, limits, lockWaitMs, isRepeated: true });
      },
      waitedForLock: (error) => this.waitedForLock(error),
    });
  }

  private batches<Row, T>(
    options: Omit<FairBatchesOptions<Row, T>, "mayRetry" | "coalesced">,
  ): (row: Row) => Promise<T> {
    const batches = new FairBatches<Row, T>({
      ...options,
      mayRetry: (error) => this.mayRetry(error),
      coalesced: (rows) => this.observer.coalesced("inserts", rows),
    });
    return (row) => batches.add(row);
  }

  /** Runs a unit like `write`, but exclusively across all processes and without time limits, as for migrations. */
  withMigrationLock<T>(unit: UnitOfWork<T>): Promise<T> {
    return this.guarded("database write", () =>
      this.engine.withMigrationLock((manager) =>
        withHooks(unit, transactionOf(manager, this.engine, this.announcements)),
      ),
    );
  }

  /**
   * Runs the pending migrations; safe when several processes start simultaneously.
   * @returns the names of the migrations that it ran
   * @throws StartupError with the database label, including when the schema is newer than this version
   */
  migrate(): Promise<string[]> {
    return runMigrations(this.source, (run) => this.withMigrationLock((tx) => run(tx.queryRunner)));
  }

  /**
   * Returns the names of the pending migrations.
   * @throws StartupError like `migrate`
   */
  pendingMigrations(): Promise<string[]> {
    return pendingMigrations(this.source);
  }

  /** Returns the current queue lengths and connection counts. */
  stats(): DatabaseStats {
    return this.engine.stats();
  }

  async close(): Promise<void> {
    await this.announcements.close();
    await this.engine.close();
  }

  private async committing<T>(unit: UnitOfWork<T>, options: TransactionOptions): Promise<T> {
    const state = this as { lastWriteSucceeded: boolean };
    let last: Transaction | undefined;
    const work = () =>
      this.engine.transaction((manager) => {
        last = transactionOf(manager, this.engine, this.announcements);
        return withHooks(unit, last);
      }, options);
    // Only batches set `lockWaitMs`; a batch that exceeds it is stored again, separately for each organization.
    const isRetried = (error: unknown) => options.lockWaitMs !== undefined && this.waitedForLock(error);
    const result = await this.guarded("database write", work, isRetried).catch((error) => {
      if (isUnavailable(error) && !isRetried(error)) state.lastWriteSucceeded = false;
      throw error;
    });
    state.lastWriteSucceeded = true;
    for (const hook of last?.afterCommit ?? []) hook();
    return result;
  }

  private async guarded<T>(
    name: string,
    work: () => Promise<T>,
    isRetried: (error: unknown) => boolean = () => false,
  ): Promise<T> {
    try {
      return await withSpan(name, work, this.spanOptions);
    } catch (error) {
      if (error instanceof GatewayError) {
        if (isUnavailable(error)) this.observer.failed("unavailable");
        throw error;
      }
      const failure = this.failureOf(error);
      const mapped =
        failure === "unexpected" ? error : new GatewayError(failure, undefined, { cause: error });
      if (!isRetried(mapped)) this.observer.failed(failure);
      throw mapped;
    }
  }

  /** True if a failed batch may be retried. After an outage, it may not, because its commit may have succeeded. */
  private mayRetry(error: unknown): boolean {
    return !isUnavailable(error) || this.waitedForLock(error);
  }

  private waitedForLock(error: unknown): boolean {
    return error instanceof GatewayError && this.engine.wasRolledBack(error.cause);
  }

  private failureOf(error: unknown): Failure {
    if (this.engine.isConflict(error)) return "conflict";
    return this.engine.isUnavailable(error) ? "unavailable" : "unexpected";
  }

  private watched(what: string) {
    this.observer.coalesces(what);
    return { name: `batch of ${what}`, coalesced: (calls: number) => this.observer.coalesced(what, calls) };
  }

  private gated(what: string) {
    const { readGate } = this.engine;
    return { ...this.watched(what), ...(readGate !== undefined && { gate: readGate }) };
  }
}

/** Runs a unit of work and then its `beforeCommit` hooks. */
async function withHooks<T>(unit: UnitOfWork<T>, { tx, beforeCommit }: Transaction): Promise<T> {
  const result = await unit(tx);
  for (const hook of beforeCommit) await hook();
  return result;
}

/** Loads the PostgreSQL engine on demand. */
function loadPostgresEngine() {
  const {
    PostgresEngine,
  }: typeof import("./postgres/postgres.engine") = require("./postgres/postgres.engine");
  return PostgresEngine;
}

const isUnavailable = (error: unknown) => error instanceof GatewayError && error.code === "unavailable";
