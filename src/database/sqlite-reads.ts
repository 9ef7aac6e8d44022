import type { Database as Connection } from "sqlite3";
import { gathered } from "./batch";
import type { Dialect, Query } from "./engine";
import { PreparedStatement } from "./prepared-statement";

// biome-ignore lint/suspicious/noExplicitAny: queries for rows of all kinds travel together
type AnyQuery = Query<any>;
type AnySelect = AnyQuery["select"];

const DIALECT: Dialect = {
  among: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
};

/**
 * Reads on one SQLite connection. A statement runs on another thread, and waking that one costs more than most
 * queries: so all queries that wait travel together, as the columns of one statement. SQLite writes the rows of each
 * as one JSON text, over there too: one value to hand over instead of one for each column of each row.
 */
export class SqliteReads {
  private readonly statements = new Map<string, PreparedStatement>();
  private readonly numbers = new Map<AnySelect, number>();

  constructor(private readonly connection: Connection) {}

  /** The rows of a query that begins after the call. @throws the driver's error */
  readonly rows = gathered((queries: readonly AnyQuery[]) => this.travel(queries));

  async close(): Promise<void> {
    await Promise.all([...this.statements.values()].map((statement) => statement.close()));
  }

  private async travel(queries: readonly AnyQuery[]): Promise<unknown[][]> {
    const groups = bySelect(queries);
    const columns = await this.statementFor(groups).row(groups.flatMap(([, group]) => parametersOf(group)));
    const answers = new Map<AnyQuery, unknown[]>();
    groups.forEach(([, group], i) => {
      const rows = JSON.parse(columns[i] ?? "");
      group.forEach((query, k) => {
        answers.set(query, group.length === 1 ? rows : rows[k].slice(0, query.limit));
      });
    });
    return queries.map((query) => answers.get(query) ?? []);
  }

  private statementFor(groups: readonly [AnySelect, AnyQuery[]][]): PreparedStatement {
    const key = groups
      .map(([select, group]) => `${this.numberOf(select)}${group.length > 1 ? "*" : ""}`)
      .join();
    const known = this.statements.get(key);
    if (known !== undefined) return known;
    let place = 0;
    const columns = groups.map(([select, group]) => {
      const first = place + 1;
      place += parametersOf(group).length;
      return group.length === 1
        ? rowsOf(select, (n) => `?${first + n - 1}`, `?${place}`)
        : rowsOfEach(select, first);
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

function bySelect(queries: readonly AnyQuery[]): [AnySelect, AnyQuery[]][] {
  const groups = new Map<AnySelect, AnyQuery[]>();
  for (const query of queries) {
    const group = groups.get(query.select);
    if (group === undefined) groups.set(query.select, [query]);
    else group.push(query);
  }
  return [...groups];
}

/** Of one query its own; of several their tuples as JSON, and the largest limit. */
function parametersOf(group: readonly AnyQuery[]): unknown[] {
  const [query] = group;
  if (query === undefined) return [];
  const limit = query.limit === undefined ? [] : [Math.max(...group.map(({ limit = 0 }) => limit))];
  return group.length === 1
    ? [...query.parameters.map((value) => (Array.isArray(value) ? JSON.stringify(value) : value)), ...limit]
    : [JSON.stringify(group.map(({ parameters }) => parameters)), ...limit];
}

/** An expression for the rows of one query as a JSON array of objects. */
function rowsOf(
  { columns, from, limited }: AnySelect,
  parameter: (n: number) => string,
  limit: string,
): string {
  const names = Object.keys(columns);
  const text = from(DIALECT).replace(/\$(\d+)/g, (_, n) => parameter(Number(n)));
  const rows = `SELECT ${names.map((name) => `${columns[name]} AS "${name}"`)} ${text}`;
  const members = names.map((name) => `'${name}', "${name}"`);
  return `(SELECT json_group_array(json_object(${members})) FROM (${rows}${limited ? ` LIMIT ${limit}` : ""}))`;
}

/** An expression for the rows of several queries, an array of arrays. */
function rowsOfEach(select: AnySelect, first: number): string {
  const rows = rowsOf(select, (n) => `query.value ->> ${n - 1}`, `?${first + 1}`);
  return `(SELECT json_group_array(json(${rows})) FROM json_each(?${first}) AS query)`;
}
