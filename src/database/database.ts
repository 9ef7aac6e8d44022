import { type DataSource, type EntityManager, MigrationExecutor } from "typeorm";
import { GatewayError, StartupError } from "../errors";
import { gathered } from "./batch";
import type { Engine, Lookup, Manner, PageQuery, Paging, Read, Unit } from "./engine";
import { placeOf } from "./place";
import { PostgresEngine } from "./postgres.engine";
import { SqliteEngine } from "./sqlite.engine";

/** What processes write one after the other. */
export enum Ordered {
  /** Lists that clients may follow while others add to them. */
  pets = 1,
  messages = 2,
  /** Many rows in no order, for which two processes would wait for each other. */
  usage = 3,
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
  ) {}

  /**
   * Connects.
   * @param source as made by `createDataSource`; closed again by `close`
   * @param options.serving whether requests wait for the answers: then each comes, or fails, within seconds
   * @throws StartupError naming the database
   */
  static open(source: DataSource, { serving = false } = {}): Promise<Database> {
    return starting(source, async () => {
      const engine =
        source.options.type === "postgres"
          ? await PostgresEngine.open(source, serving)
          : await SqliteEngine.open(source);
      return new Database(source, engine);
    });
  }

  /** The rows that have one of the texts, in any order. @throws GatewayError `unavailable` */
  lookup<Row>(lookup: Lookup<Row>, values: readonly string[]): Promise<Row[]> {
    return this.guarded(() => this.engine.lookup(lookup, values));
  }

  /** The rows of each page, in the order of their ids. @throws GatewayError `unavailable` */
  pages<Row>(paging: Paging<Row>, pages: readonly PageQuery[]): Promise<Row[][]> {
    return this.guarded(() => this.engine.pages(paging, pages));
  }

  /** Runs a reading query on committed rows. @throws GatewayError `unavailable` */
  read<T>(query: Read<T>): Promise<T> {
    return this.guarded(() => this.engine.read(query));
  }

  /**
   * Runs a unit of work in a transaction and answers once it is durable.
   * @param manner.patient for what no request waits for
   * @throws whatever the unit throws, after which nothing of it remains; GatewayError `unavailable`,
   *   or `conflict` where a concurrent unit was first
   */
  write<T>(unit: Unit<T>, manner?: Pick<Manner, "patient">): Promise<T> {
    return this.writing(() => this.engine.transaction(unit, manner));
  }

  /** Whether the last write that was tried was kept: a full disk, say, refuses writes while reads go on. */
  get takesWrites(): boolean {
    return !this.lastWriteFailed;
  }

  /**
   * Joins inserts of one kind, each a unit of its own to its caller, into one statement and one commit: those that
   * come while one is under way. Should the statement fail, each row is tried by itself.
   * @param insert adds rows in their order and answers one value for each
   * @param options.single whether that is one statement, `keepOrder` aside
   */
  together<Row, T>(
    insert: (tx: EntityManager, rows: readonly Row[]) => Promise<T[]>,
    { single = false }: Pick<Manner, "single"> = {},
  ): (row: Row) => Promise<T> {
    return gathered<Row, T>(async (rows) => {
      try {
        return await this.writing(() => this.engine.transaction((tx) => insert(tx, rows), { single }));
      } catch (error) {
        // Where the database is gone, nobody knows whether the rows were kept: a second try could add them twice.
        if (rows.length === 1 || isUnavailable(error)) throw error;
        const alone = rows.map((row) => this.write((tx) => insert(tx, [row])).then(([value]) => value as T));
        return (await Promise.allSettled(alone)).map((outcome) =>
          outcome.status === "fulfilled" ? outcome.value : asError(outcome.reason),
        );
      }
    });
  }

  /** As `write`, but one at a time among all processes on this database: for migrations and first start. */
  exclusively<T>(unit: Unit<T>): Promise<T> {
    return this.guarded(() => this.engine.exclusively(unit));
  }

  /**
   * Inside a unit that is about to write: no other unit does so until this one has ended. The rows of a list thus
   * become visible in the order of their ids.
   */
  keepOrder(tx: EntityManager, what: Ordered): Promise<void> {
    return this.engine.keepOrder(tx, what);
  }

  /**
   * Brings the tables up to date; safe when several processes start at once. Answers what it ran.
   * @throws StartupError naming the database
   */
  async migrate(): Promise<string[]> {
    const run = () =>
      this.exclusively((tx) => {
        const executor = new MigrationExecutor(this.source, tx.queryRunner);
        executor.transaction = "none";
        return executor.executePendingMigrations();
      });
    return (await starting(this.source, run)).map(({ name }) => name);
  }

  /** Names of the migrations that `migrate` would run. @throws StartupError naming the database */
  async pendingMigrations(): Promise<string[]> {
    const executor = new MigrationExecutor(this.source);
    return (await starting(this.source, () => executor.getPendingMigrations())).map(({ name }) => name);
  }

  close(): Promise<void> {
    return this.engine.close();
  }

  private async writing<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await this.guarded(work);
      this.lastWriteFailed = false;
      return result;
    } catch (error) {
      if (isUnavailable(error)) this.lastWriteFailed = true;
      throw error;
    }
  }

  private async guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      if (this.engine.isConflict(error)) throw new GatewayError("conflict", undefined, { cause: error });
      if (this.engine.isUnavailable(error))
        throw new GatewayError("unavailable", undefined, { cause: error });
      throw error;
    }
  }
}

const isUnavailable = (error: unknown) => error instanceof GatewayError && error.code === "unavailable";

const asError = (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason)));

/** Before anything works, whoever starts the process wants to know which database does not. */
async function starting<T>(source: DataSource, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new StartupError(`the database ${placeOf(source)} cannot be used`, { cause });
  }
}
