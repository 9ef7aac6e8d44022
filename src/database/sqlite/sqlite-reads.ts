import type { Database as Connection } from "sqlite3";
import { coalesce } from "../../common/coalesce";
import { type KeysetQuery, type Lookup, PAGE_LENGTHS, type PageQuery, pageLength } from "../engine";
import type { DatabaseObserver } from "../observer";
import { PreparedStatement } from "./prepared-statement";

/** What one of the queries that runCombined together asks for. */
interface Query {
  /** Always the same object for the same SQL. */
  of: object;
  /** An expression for what is found, as one JSON text; the query's own parameter is `parameter`. */
  sql: (parameter: string) => string;
  parameter: string;
}

/**
 * Reads on one SQLite connection. A statement runs on another thread, and waking that one costs more than most
 * queries: so queries that wait runCombined together, as the columns of one statement. SQLite writes the rows of each as
 * one JSON text, over there too: one value to hand over instead of one for each column of each row.
 */
export class SqliteReads {
  /** By the numbers of what is asked for; there are few kinds of it, so there are few statements. */
  private readonly statements = new Map<string, PreparedStatement>();
  private readonly numbers = new Map<object, number>();

  /** Queries that no statement has taken along yet. */
  waiting = 0;

  constructor(
    private readonly connection: Connection,
    private readonly observer: DatabaseObserver,
  ) {}

  /** The rows that have one of the texts. @throws the driver's error */
  async lookup<Row>(lookup: Lookup<Row>, values: readonly string[]): Promise<Row[]> {
    const parameter = JSON.stringify(values);
    return JSON.parse(await this.answer({ of: lookup, sql: (place) => lookupSql(lookup, place), parameter }));
  }

  /** The rows of each page. @throws the driver's error */
  async pages<Row>(paging: KeysetQuery<Row>, pages: readonly PageQuery[]): Promise<Row[][]> {
    const parameter = JSON.stringify(
      pages.map(({ filter, from, limit }) => [filter, from, pageLength(limit)]),
    );
    const text = await this.answer({ of: paging, sql: (place) => pagesSql(paging, place), parameter });
    const found = new Map<number, Row[]>(JSON.parse(text));
    return pages.map(({ limit }, place) => (found.get(place) ?? []).slice(0, limit));
  }

  async close(): Promise<void> {
    await Promise.all([...this.statements.values()].map((statement) => statement.close()));
  }

  /** The JSON text that answers a query, which begins after the call. */
  private answer(query: Query): Promise<string> {
    this.waiting += 1;
    return this.join(query);
  }

  private readonly join = coalesce((queries: readonly Query[]) => this.answerAll(queries), {
    name: "statement",
    // SQLite runs them one after the other, and those that wait would take the threads of others.
    oneByOne: true,
    joined: (calls) => this.observer.joined("reads", calls),
  });

  private async answerAll(queries: readonly Query[]): Promise<string[]> {
    this.waiting -= queries.length;
    const firsts = new Map<object, Query>();
    for (const query of queries) if (!firsts.has(query.of)) firsts.set(query.of, query);
    const others = queries.filter((query) => firsts.get(query.of) !== query);
    const together = [...firsts.values()].sort((a, b) => this.idOf(a.of) - this.idOf(b.of));
    const trips = [together, ...others.map((query) => [query])];
    const answers = new Map<Query, string>();
    await Promise.all(trips.map((trip) => this.runCombined(trip, answers)));
    return queries.map((query) => answers.get(query) ?? "");
  }

  /** Runs different queries as one statement. */
  private async runCombined(queries: readonly Query[], answers: Map<Query, string>): Promise<void> {
    const texts = await this.statementFor(queries).row(queries.map(({ parameter }) => parameter));
    queries.forEach((query, i) => {
      answers.set(query, texts[i] ?? "");
    });
  }

  private statementFor(queries: readonly Query[]): PreparedStatement {
    const key = queries.map(({ of }) => this.idOf(of)).join();
    const known = this.statements.get(key);
    if (known !== undefined) return known;
    const columns = queries.map(({ sql }, i) => sql(`?${i + 1}`));
    const statement = new PreparedStatement(this.connection, `SELECT ${columns}`);
    this.statements.set(key, statement);
    return statement;
  }

  private idOf(of: object): number {
    const number = this.numbers.get(of) ?? this.numbers.size;
    this.numbers.set(of, number);
    return number;
  }
}

/** The rows of a query as a JSON array of objects. @param rest the query from FROM on */
function rowsSql(columns: Readonly<Record<string, string>>, rest: string): string {
  const names = Object.keys(columns);
  const named = names.map((name) => `${columns[name]} AS "${name}"`);
  const members = names.map((name) => `'${name}', "${name}"`);
  return `(SELECT json_group_array(json_object(${members})) FROM (SELECT ${named} ${rest}))`;
}

/** @param parameter holds the values as a JSON array */
const lookupSql = ({ columns, from, by }: Lookup<unknown>, parameter: string): string =>
  rowsSql(columns, `FROM ${from} WHERE ${by} IN (SELECT value FROM json_each(${parameter}))`);

/**
 * Pages as a JSON array of `[place, rows]`. SQLite takes no LIMIT that differs from page to page, so a page is read at
 * the next usual length.
 * @param parameter holds a JSON array of `[filter, from, length]`
 */
function pagesSql({ columns, table, id, filter }: KeysetQuery<unknown>, parameter: string): string {
  const from = `${id} >= CAST(page.value ->> 1 AS INTEGER)`;
  const pageWhere = (where: string) => {
    const ofLength = (length: number) =>
      `WHEN ${length} THEN ${rowsSql(columns, `FROM ${table} WHERE ${where} ORDER BY ${id} LIMIT ${length}`)}`;
    return `CASE page.value ->> 2 ${PAGE_LENGTHS.map(ofLength).join(" ")} END`;
  };
  const rows = `CASE WHEN page.value ->> 0 IS NULL THEN ${pageWhere(from)}
    ELSE ${pageWhere(`${filter} = page.value ->> 0 AND ${from}`)} END`;
  return `(SELECT '[' || group_concat('[' || page.key || ',' || ${rows} || ']') || ']' FROM json_each(${parameter}) AS page)`;
}
