import { type CustomTypesConfig, type PoolClient, Query, type QueryArrayConfig, type QueryResult } from "pg";
import {
  type DataSource,
  type EntityManager,
  type ObjectLiteral,
  QueryFailedError,
  type QueryRunner,
  type SelectQueryBuilder,
} from "typeorm";
import { Mutex } from "../../common/mutex";
import { sha256 } from "../../credentials/sha256";
import { StartupError } from "../../errors";
import { databaseLabel } from "../database-label";
import {
  driverCode,
  type Engine,
  type KeysetQuery,
  type Lookup,
  lengthOf,
  MAX_PAGE_LENGTH,
  type PageQuery,
  type Read,
  type TransactionBoundary,
  type TransactionOptions,
  transact,
  type UnitOfWork,
} from "../engine";
import { BACKGROUND, SERVING } from "../limits";
import type { DatabaseObserver, DatabaseStats } from "../observer";
import { decodeJson, jsonColumns, rowsOfJsonColumns, type Selection, sqlOf } from "../selection";
import { isConnectionLost, PostgresConnections } from "./postgres-connections";
import { identityOf } from "./postgres-identity";
import { listenOn } from "./postgres-listener";

/** SQLSTATEs (PostgreSQL manual, appendix A) of temporary failures: connection, deadlock, resources, operator. */
const UNAVAILABLE = /^(08|40|53|57|58)[0-9A-Z]{3}$|^25006$|^42501$|^55P03$/;

/** Sets the isolation level explicitly, because under a stricter default units of work would fail with conflicts. */
const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";

const UNIQUE_VIOLATION = "23505";

/** SQLSTATEs of statements that waited for others: canceled by the time limit, by the lock timeout, or because of a deadlock. */
const WAITED_TOO_LONG = new Set(["57014", "55P03", "40P01"]);

/** Arbitrary advisory lock keys that other applications are unlikely to use. */
const EXCLUSIVE_LOCK = 7_236_418_905;
const ORDER_LOCK = 723_641;

/** Locks a whole list. */
const LOCK_LIST = "SELECT pg_advisory_xact_lock($1, $2)";

/** The advisory lock of a part of a list: the second half of its UUID, which is random. */
const partKey = (list: number, part: string): string =>
  String(BigInt.asIntN(64, BigInt(`0x${part.slice(-17).replace("-", "")}`) + BigInt(list)));

/** A prepared statement with the name under which each connection caches it. */
interface Named {
  name: string;
  text: string;
}

/** A hash of the text, because a connection pooler may share one connection among processes. */
const nameOf = (text: string) => `gateway_${sha256(text).slice(0, 32)}`;

/**
 * Max parameters of a repeated statement that stays prepared: with more, there are too many texts, and running it takes
 * longer than planning it.
 */
const MAX_PREPARED_PARAMETERS = 64;

/** Runs a statement, and lets a short one stay prepared on the connection. */
const queryPrepared = (client: PoolClient, text: string, values: unknown[] = []): Promise<QueryResult> =>
  values.length === 0 || values.length > MAX_PREPARED_PARAMETERS
    ? client.query(text, values)
    : client.query({ name: nameOf(text), text, values });

/**
 * Runs the statements of a runner one at a time, as the driver asks.
 * @param run runs a statement
 */
async function serialize(runner: QueryRunner, run: typeof queryPrepared): Promise<void> {
  const client: PoolClient = await runner.connect();
  const statements = new Mutex();
  const query = (text: string, values?: unknown[]) =>
    statements.runExclusive(() => run(client, text, values));
  runner.connect = async () => ({ query });
}

const queryOnce: typeof queryPrepared = (client, text, values) => client.query(text, values);

/** Leaves values as the text that the server sent. */
const AS_TEXT: CustomTypesConfig = { getTypeParser: () => String };

/** Statements by declaration and variant. */
const statements = new WeakMap<object, Map<string, Named>>();

function named(of: object, variant: string, write: () => string): Named {
  const variants = statements.get(of) ?? new Map<string, Named>();
  statements.set(of, variants);
  const known = variants.get(variant);
  if (known !== undefined) return known;
  const text = write();
  const statement = { name: nameOf(text), text };
  variants.set(variant, statement);
  return statement;
}

/** The driver returns an int64 as text. */
const columnsSql = ({ columns }: Selection<unknown>) => columns.map(sqlOf).join();

const lookupSql = (lookup: Lookup<unknown>, values: string) =>
  `SELECT ${columnsSql(lookup)} FROM ${lookup.from} WHERE ${lookup.by} = ${values}`;

const pageSql = ({ table, id }: KeysetQuery<unknown>, select: string, from: string, limit: string | number) =>
  `SELECT ${select} FROM ${table} WHERE ${id} >= ${from} ORDER BY ${id} LIMIT ${limit}`;

/**
 * The rows with a value, as a range of the index that covers it together with the ID. With `=`, the planner takes all values
 * for equally frequent, and may search the whole table by ID for a rare one.
 */
const filteredPageSql = (
  { table, id, filter }: KeysetQuery<unknown>,
  select: string,
  value: string,
  from: string,
  limit: string | number,
) =>
  `SELECT ${select} FROM ${table} WHERE (${filter}, ${id}) >= (${value}, ${from}) AND ${filter} <= ${value}
    ORDER BY ${filter}, ${id} LIMIT ${limit}`;

/**
 * Returns the SQL of several pages, in any order: the index of each, and a JSON array with the values of each column. The
 * inner LIMIT is a constant, because otherwise the planner sorts the whole table for each page; the outer one stops the scan
 * earlier.
 */
function pagesSql(paging: KeysetQuery<unknown>): string {
  const columns = jsonColumns(paging).map((sql, i) => `${sql} AS c${i}`);
  const values = columns.map((_, i) => `json_agg(c${i})`);
  const rows = (longest: string) =>
    `(SELECT json_build_array(${values}) FROM (SELECT * FROM (${longest}) AS longest LIMIT page.length) AS page_rows)`;
  const all = pageSql(paging, columns.join(), "page.start", MAX_PAGE_LENGTH);
  const filtered = filteredPageSql(paging, columns.join(), "page.filter", "page.start", MAX_PAGE_LENGTH);
  return `SELECT page.position - 1, CASE WHEN page.filter IS NULL THEN ${rows(all)} ELSE ${rows(filtered)} END AS rows
    FROM unnest($1::text[], $2::bigint[], $3::int[]) WITH ORDINALITY AS page (filter, start, length, position)`;
}

/** The PostgreSQL engine, on a pool of connections. */
export class PostgresEngine implements Engine {
  readonly hasWritableCtes = true;
  private constructor(
    private readonly connections: PostgresConnections,
    private readonly observer: DatabaseObserver,
    readonly identity: string,
  ) {}

  /**
   * Connects to the database.
   * @param serving true if requests wait for results
   * @throws StartupError when the encoding is not UTF-8
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
        `the database ${databaseLabel(source)} is encoded in ${encoding}; it must be in UTF8`,
      );
    }
    return new PostgresEngine(connections, observer, await identityOf(source));
  }

  lookup<Row>(lookup: Lookup<Row>, values: readonly string[]): Promise<Row[]> {
    // PostgreSQL would replan a list of one each time, which takes twice as long as the rest of the query.
    return values.length === 1
      ? this.selected(
          lookup,
          named(lookup, "one", () => lookupSql(lookup, "$1")),
          [...values],
        )
      : this.selected(
          lookup,
          named(lookup, "list", () => lookupSql(lookup, "ANY($1)")),
          [values],
        );
  }

  async pages<Row>(paging: KeysetQuery<Row>, pages: readonly PageQuery[]): Promise<Row[][]> {
    const [only] = pages;
    if (only !== undefined && pages.length === 1) return [await this.page(paging, only)];
    const combined = named(paging, "joined", () => pagesSql(paging));
    const values = [pages.map(({ filter }) => filter), pages.map(({ from }) => from), pages.map(lengthOf)];
    const found: Row[][] = [];
    // The first pages are decoded while the server reads the others.
    await this.eachRow(combined, values, ([index, rows]) => {
      found[Number(index)] = decodeJson(rows as string, (columns) =>
        rowsOfJsonColumns(paging, columns as unknown[][]),
      );
    });
    return found;
  }

  /** Reads one page, for which the statement for many pages takes twice as long. */
  private page<Row>(paging: KeysetQuery<Row>, { filter, from, limit }: PageQuery): Promise<Row[]> {
    const select = columnsSql(paging);
    if (filter === null)
      return this.selected(
        paging,
        named(paging, "all", () => pageSql(paging, select, "$1", "$2")),
        [from, limit],
      );
    return this.selected(
      paging,
      named(paging, "filtered", () => filteredPageSql(paging, select, "$1", "$2", "$3")),
      [filter, from, limit],
    );
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

  transaction<T>(unit: UnitOfWork<T>, options: TransactionOptions = {}): Promise<T> {
    const { limits = this.connections.limits } = options;
    const begin =
      options.limits === undefined ? BEGIN : `${BEGIN}; SET LOCAL statement_timeout = ${limits.statement}`;
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
    return this.transaction(lockedUnit, { limits: BACKGROUND });
  }

  /**
   * A sequence assigns IDs at the insert but rows become visible at the commit, so inserts must wait for each other.
   */
  async lockInsertOrder(tx: EntityManager, list: number, parts?: readonly string[]): Promise<void> {
    if (parts === undefined) {
      await tx.query(LOCK_LIST, [ORDER_LOCK, list]);
      return;
    }
    // In a fixed order, so that units which share two parts do not deadlock.
    const keys = [...new Set(parts)].sort().map((part) => partKey(list, part));
    const locks = keys.map((_, i) => `pg_advisory_xact_lock($${i + 3})`);
    await tx.query(`SELECT ${["pg_advisory_xact_lock_shared($1, $2)", ...locks].join(", ")}`, [
      ORDER_LOCK,
      list,
      ...keys,
    ]);
  }

  shareLock(tables: readonly string[]): string {
    return `FOR SHARE OF ${tables.join(", ")}`;
  }

  updateLock(skipLocked: boolean): string {
    return skipLocked ? "FOR UPDATE SKIP LOCKED" : "FOR UPDATE";
  }

  locking<Row extends ObjectLiteral>(
    query: SelectQueryBuilder<Row>,
    skipLocked: boolean,
  ): SelectQueryBuilder<Row> {
    query.setLock("pessimistic_write");
    return skipLocked ? query.setOnLocked("skip_locked") : query;
  }

  announce(channel: string): Promise<void> {
    return this.connections.forTransaction(this.connections.limits, "", (runner) =>
      runner.query("SELECT pg_notify($1, '')", [channel]),
    );
  }

  listen(channel: string, listener: () => void): () => Promise<void> {
    return listenOn(() => this.connections.createClient(), channel, listener);
  }

  clock(afterMs: number): string {
    return `to_char((clock_timestamp() + interval '${afterMs} milliseconds') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  }

  jsonElements(parameter: string): string {
    return `json_array_elements(${parameter}::json)`;
  }

  /** Skips locked rows, which another process is deleting or updating. */
  limitedCondition(table: string, condition: string, limit: number): string {
    return `ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`;
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

  private async selected<Row>(
    selection: Selection<Row>,
    statement: Named,
    values: unknown[],
  ): Promise<Row[]> {
    return (await this.rows(statement, values)).map((each) => selection.row(each));
  }

  /** Returns the values of each row. */
  private rows({ name, text }: Named, values: unknown[]): Promise<unknown[][]> {
    return this.connections.forQuery(async (client) => {
      const { rows } = await client.query({ name, text, values, rowMode: "array" }).catch((cause: Error) => {
        throw new QueryFailedError(text, [], cause);
      });
      return rows;
    });
  }

  /** Passes on the values of each row, as text, as soon as it arrives; after a broken connection, once more from the first. */
  private eachRow(
    { name, text }: Named,
    values: unknown[],
    onRow: (values: unknown[]) => void,
  ): Promise<void> {
    const query = (client: PoolClient) =>
      new Promise<void>((resolve, reject) => {
        const config: QueryArrayConfig = { name, text, values, rowMode: "array", types: AS_TEXT };
        client
          .query(new Query(config))
          .on("error", (cause) => reject(new QueryFailedError(text, [], cause)))
          .on("end", () => resolve())
          .on("row", (row) => {
            try {
              onRow(row);
            } catch (error) {
              // Thrown on, it would end the process.
              reject(error);
            }
          });
      });
    return this.connections.forQuery(query);
  }
}

/**
 * Runs a unit of one statement, perhaps with the lock of a list before it, in two round trips to the server: the start of
 * the transaction and the lock, then the statement and the commit, are sent without waiting for each other.
 */
async function transactInPairs<T>(runner: QueryRunner, begin: string, unit: UnitOfWork<T>): Promise<T> {
  const client: PoolClient = await runner.connect();
  const send = (text: string, values?: unknown[]) => {
    const answer = queryPrepared(client, text, values).catch((cause: Error) => {
      throw new QueryFailedError(text, values, cause);
    });
    // It may fail before it is awaited.
    answer.catch(() => undefined);
    return answer;
  };
  const begun = send(begin);
  let committed: Promise<QueryResult> | undefined;
  const query = async (text: string, values?: unknown[], isStructured = false): Promise<unknown[]> => {
    if (isStructured) throw new Error("A unit of one statement runs it by `tx.query`.");
    const locked = text === LOCK_LIST ? send(text, values) : undefined;
    // Without the transaction, the lock would be gone at once and the statement kept on its own.
    await begun;
    if (locked !== undefined) return (await locked).rows;
    const answer = send(text, values);
    committed ??= send("COMMIT");
    return (await answer).rows;
  };
  Object.assign(runner, { query });
  const boundary: TransactionBoundary = {
    begin: undefined,
    commit: async () => {
      committed ??= send("COMMIT");
      assertCommitted(await committed);
    },
    // Also after a commit that did not run, which has left the transaction open.
    rollback: () => send("ROLLBACK").catch(() => undefined),
  };
  return transact(runner, boundary, unit);
}

const rollback: TransactionBoundary["rollback"] = (query) => query("ROLLBACK").catch(() => undefined);

async function commit(runner: QueryRunner): Promise<void> {
  const client: PoolClient = await runner.connect();
  const result = await client.query("COMMIT").catch((cause: Error) => {
    throw new QueryFailedError("COMMIT", undefined, cause);
  });
  assertCommitted(result);
}

/** After a failed statement, PostgreSQL answers COMMIT with ROLLBACK and no error, which TypeORM hides. */
function assertCommitted(result: QueryResult): void {
  if (result.command !== "COMMIT")
    throw new Error("The unit of work continued after one of its statements had failed.");
}
