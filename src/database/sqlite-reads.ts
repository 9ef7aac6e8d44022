import type { Database as Connection } from "sqlite3";
import { gathered } from "./batch";
import type { Dialect, Query } from "./engine";
import type { DatabaseObserver } from "./observer";
import { PreparedStatement } from "./prepared-statement";

// biome-ignore lint/suspicious/noExplicitAny: queries for rows of all kinds travel together
type AnyQuery = Query<any>;
type AnySelect = AnyQuery["select"];

const DIALECT: Dialect = {
  among: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
};

/**
 * Reads on one SQLite connection. A statement runs on another thread, and waking that one costs more than most
 * queries: so queries that wait travel together, one of each Select, as the columns of one statement. SQLite writes
 * the rows of each as one JSON text, over there too: one value to hand over instead of one for each column of each
 * row.
 */
export class SqliteReads {
  /** By the numbers of its Selects; there are few Selects, so there are few. */
  private readonly statements = new Map<string, PreparedStatement>();
  private readonly numbers = new Map<AnySelect, number>();

  /** Queries that no statement has taken along yet. */
  waiting = 0;

  constructor(
    private readonly connection: Connection,
    private readonly observer: DatabaseObserver,
  ) {}

  /** The rows of a query that begins after the call. @throws the driver's error */
  rows(query: AnyQuery): Promise<unknown[]> {
    this.waiting += 1;
    return this.join(query);
  }

  private readonly join = gathered(
    (queries: readonly AnyQuery[]) => {
      this.waiting -= queries.length;
      return this.travel(queries);
    },
    "statement",
    (calls) => this.observer.joined("reads", calls),
  );

  async close(): Promise<void> {
    await Promise.all([...this.statements.values()].map((statement) => statement.close()));
  }

  private async travel(queries: readonly AnyQuery[]): Promise<unknown[][]> {
    const firsts = new Map<AnySelect, AnyQuery>();
    for (const query of queries) if (!firsts.has(query.select)) firsts.set(query.select, query);
    const others = queries.filter((query) => firsts.get(query.select) !== query);
    const together = [...firsts.values()].sort((a, b) => this.numberOf(a.select) - this.numberOf(b.select));
    const trips = [together, ...others.map((query) => [query])];
    const answers = new Map<AnyQuery, unknown[]>();
    await Promise.all(trips.map((trip) => this.run(trip, answers)));
    return queries.map((query) => answers.get(query) ?? []);
  }

  /** Runs queries of different Selects as one statement. */
  private async run(queries: readonly AnyQuery[], answers: Map<AnyQuery, unknown[]>): Promise<void> {
    const columns = await this.statementFor(queries).row(queries.flatMap(parametersOf));
    queries.forEach((query, i) => {
      answers.set(query, JSON.parse(columns[i] ?? ""));
    });
  }

  private statementFor(queries: readonly AnyQuery[]): PreparedStatement {
    const key = queries.map(({ select }) => this.numberOf(select)).join();
    const known = this.statements.get(key);
    if (known !== undefined) return known;
    let before = 0;
    const columns = queries.map((query) => {
      const text = rowsOf(query.select, before);
      before += parametersOf(query).length;
      return text;
    });
    const statement = new PreparedStatement(this.connection, `SELECT ${columns}`);
    this.statements.set(key, statement);
    return statement;
  }

  private numberOf(select: AnySelect): number {
    const number = this.numbers.get(select) ?? this.numbers.size;
    this.numbers.set(select, number);
    return number;
  }
}

const parametersOf = ({ parameters, limit }: AnyQuery): unknown[] =>
  [...parameters, ...(limit === undefined ? [] : [limit])].map((value) =>
    Array.isArray(value) ? JSON.stringify(value) : value,
  );

/** An expression for the rows of a query as a JSON array of objects. @param before how many parameters precede its own */
function rowsOf({ columns, from, limited }: AnySelect, before: number): string {
  const names = Object.keys(columns);
  let last = before;
  const text = from(DIALECT).replace(/\$(\d+)/g, (_, n) => {
    last = Math.max(last, before + Number(n));
    return `?${before + Number(n)}`;
  });
  const rows = `SELECT ${names.map((name) => `${columns[name]} AS "${name}"`)} ${text}`;
  const members = names.map((name) => `'${name}', "${name}"`);
  return `(SELECT json_group_array(json_object(${members})) FROM (${rows}${limited ? ` LIMIT ?${last + 1}` : ""}))`;
}
