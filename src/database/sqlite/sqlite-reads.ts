import DataLoader from "dataloader";
import { getOrCreate } from "../../common/get-or-create";
import {
  type KeysetQuery,
  type Lookup,
  lengthOf,
  MAX_PAGE_LENGTH,
  type PageQuery,
  type Reads,
} from "../engine";
import type { DatabaseObserver } from "../observer";
import { decodeJson, jsonColumns, rowOfJson, rowsOfJsonColumns } from "../selection";
import type { StatementCache } from "./statement-cache";

/** Lengths to round pages up to: usual sizes plus one row. SQLite cannot use a different LIMIT per page. */
const PAGE_LENGTHS = [11, 21, 51, MAX_PAGE_LENGTH];

const usualLength = (page: PageQuery) => PAGE_LENGTHS.find((length) => length >= lengthOf(page));

/** A query that is combined with others into one statement. */
interface Query {
  /** The declaration of the query; the same SQL always has the same declaration object. */
  of: object;
  /** Returns an expression for the result as one JSON text. */
  sql: (parameter: string) => string;
  parameter: string;
}

/**
 * Reads on one SQLite connection. Waking SQLite's thread costs more than most queries, so the queries of an event-loop
 * tick become the columns of one statement. Each column holds its rows as one JSON text, to pass fewer values between
 * threads.
 */
export class SqliteReads implements Reads {
  /** The SQL of statements by the IDs of their declarations; there are only a few. */
  private readonly sql = new Map<string, string>();
  private readonly ids = new Map<object, number>();

  /** Collects the queries of an event-loop tick. */
  private readonly queries = new DataLoader((queries: readonly Query[]) => this.runAll(queries), {
    cache: false,
  });

  constructor(
    private readonly statements: StatementCache,
    private readonly observer: DatabaseObserver,
    /** Runs work on the connection within the time limit. */
    private readonly limited: <T>(work: () => Promise<T>) => Promise<T>,
  ) {}

  async lookup<Row>(lookup: Lookup<Row>, values: readonly string[]): Promise<Row[]> {
    const parameter = JSON.stringify(values);
    const text = await this.queries.load({ of: lookup, sql: (name) => lookupSql(lookup, name), parameter });
    return decodeJson(text, (rows) => (rows as unknown[][]).map((values) => rowOfJson(lookup, values)));
  }

  async pages<Row>(paging: KeysetQuery<Row>, pages: readonly PageQuery[]): Promise<Row[][]> {
    const parameter = JSON.stringify(pages.map((page) => [page.filter, page.from, usualLength(page)]));
    const text = await this.queries.load({ of: paging, sql: (name) => pagesSql(paging, name), parameter });
    return decodeJson(text, (found) => {
      const columns = new Map(found as [number, unknown[][]][]);
      return pages.map(({ limit }, index) => rowsOfJsonColumns(paging, columns.get(index) ?? [], limit));
    });
  }

  private async runAll(queries: readonly Query[]): Promise<string[]> {
    this.observer.coalesced("reads", queries.length);
    const firsts = new Map<object, Query>();
    for (const query of queries) if (!firsts.has(query.of)) firsts.set(query.of, query);
    const others = queries.filter((query) => firsts.get(query.of) !== query);
    const combined = [...firsts.values()].sort((a, b) => this.idOf(a.of) - this.idOf(b.of));
    const statements = [combined, ...others.map((query) => [query])];
    const answers = new Map<Query, string>();
    await this.limited(() =>
      Promise.all(statements.map((statement) => this.runCombined(statement, answers))),
    );
    return queries.map((query) => answers.get(query) ?? "");
  }

  /** Runs different queries as one statement. */
  private async runCombined(queries: readonly Query[], answers: Map<Query, string>): Promise<void> {
    const parameters = queries.map(({ parameter }) => parameter);
    const [row] = await new Promise<unknown[]>((resolve, reject) => {
      this.statements.all(this.statementOf(queries), parameters, (error, rows = []) =>
        error === null ? resolve(rows) : reject(error),
      );
    });
    const texts = Object.values(row as Record<string, string>);
    queries.forEach((query, i) => {
      answers.set(query, texts[i] ?? "");
    });
  }

  private statementOf(queries: readonly Query[]): string {
    const key = queries.map(({ of }) => this.idOf(of)).join();
    // Aliases the columns. Otherwise, SQLite returns each whole expression as the column name with every row.
    const write = () => `SELECT ${queries.map(({ sql }, i) => `${sql(`?${i + 1}`)} AS q${i}`)}`;
    return getOrCreate(this.sql, key, write);
  }

  private idOf(of: object): number {
    return getOrCreate(this.ids, of, () => this.ids.size);
  }
}

/** Returns SQL for the rows of a lookup as a JSON array; the parameter is a JSON array of values. */
const lookupSql = (lookup: Lookup<unknown>, parameter: string): string =>
  `(SELECT json_group_array(json_array(${jsonColumns(lookup)})) FROM ${lookup.from}
    WHERE ${lookup.by} IN (SELECT value FROM json_each(${parameter})))`;

/** Returns SQL for pages as JSON, `[index, columns][]`; the parameter is JSON, `[filter, from, length][]`. */
function pagesSql(paging: KeysetQuery<unknown>, parameter: string): string {
  const { table, id, filter } = paging;
  const from = `${id} >= CAST(page.value ->> 1 AS INTEGER)`;
  const columns = jsonColumns(paging).map((sql, i) => `${sql} AS c${i}`);
  const values = columns.map((_, i) => `json_group_array(c${i})`).join(" || ',' || ");
  const pageWhere = (where: string) => {
    const ofLength = (length: number) =>
      `WHEN ${length} THEN (SELECT '[' || ${values} || ']'
        FROM (SELECT ${columns} FROM ${table} WHERE ${where} ORDER BY ${id} LIMIT ${length}))`;
    return `CASE page.value ->> 2 ${PAGE_LENGTHS.map(ofLength).join(" ")} END`;
  };
  const rows = `CASE WHEN page.value ->> 0 IS NULL THEN ${pageWhere(from)}
    ELSE ${pageWhere(`${filter} = page.value ->> 0 AND ${from}`)} END`;
  return `(SELECT '[' || group_concat('[' || page.key || ',' || ${rows} || ']') || ']' FROM json_each(${parameter}) AS page)`;
}
