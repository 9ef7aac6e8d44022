import { type CustomTypesConfig, type PoolClient, Query, type QueryArrayConfig } from "pg";
import { QueryFailedError } from "typeorm";
import { getOrCreate } from "../../common/get-or-create";
import {
  type KeysetQuery,
  type Lookup,
  lengthOf,
  MAX_PAGE_LENGTH,
  type PageQuery,
  type Reads,
} from "../engine";
import { decodeJson, jsonColumns, rowsOfJsonColumns, type Selection, sqlOf } from "../selection";
import type { PostgresConnections } from "./postgres-connections";
import { nameOf } from "./prepared-statements";

/** A prepared statement, with the name under which each connection caches it. */
interface Named {
  name: string;
  text: string;
}

/** Returns values as the text sent by the server. */
const AS_TEXT: CustomTypesConfig = { getTypeParser: () => String };

/** Prepared statements, by declaration and variant. */
const statements = new WeakMap<object, Map<string, Named>>();

function named(of: object, variant: string, write: () => string): Named {
  const variants = getOrCreate(statements, of, () => new Map<string, Named>());
  return getOrCreate(variants, variant, () => {
    const text = write();
    return { name: nameOf(text), text };
  });
}

/** The driver returns an int64 as text. */
const columnsSql = ({ columns }: Selection<unknown>) => columns.map(sqlOf).join();

const lookupSql = (lookup: Lookup<unknown>, values: string) =>
  `SELECT ${columnsSql(lookup)} FROM ${lookup.from} WHERE ${lookup.by} = ${values}`;

const pageSql = ({ table, id }: KeysetQuery<unknown>, select: string, from: string, limit: string | number) =>
  `SELECT ${select} FROM ${table} WHERE ${id} >= ${from} ORDER BY ${id} LIMIT ${limit}`;

/**
 * Selects the rows with a given value as a range of the index on value and ID. With `=`, the planner assumes that all
 * values are equally frequent and may search the whole table by ID for a rare value.
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
 * Returns the SQL that selects several pages, in any order: the index of each page and a JSON array of its values by
 * column. The inner LIMIT is constant, because the planner would otherwise sort the whole table for each page; the
 * outer LIMIT stops the scan earlier.
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

/** Lookups and pages on pooled connections, as prepared statements. */
export class PostgresReads implements Reads {
  constructor(private readonly connections: PostgresConnections) {}

  lookup<Row>(lookup: Lookup<Row>, values: readonly string[]): Promise<Row[]> {
    // PostgreSQL replans a one-item list on every run, which takes twice as long as the rest of the query.
    return values.length === 1
      ? this.selected(lookup, "one", () => lookupSql(lookup, "$1"), [...values])
      : this.selected(lookup, "list", () => lookupSql(lookup, "ANY($1)"), [values]);
  }

  async pages<Row>(paging: KeysetQuery<Row>, pages: readonly PageQuery[]): Promise<Row[][]> {
    const [only] = pages;
    if (only !== undefined && pages.length === 1) return [await this.page(paging, only)];
    const combined = named(paging, "joined", () => pagesSql(paging));
    const values = [pages.map(({ filter }) => filter), pages.map(({ from }) => from), pages.map(lengthOf)];
    const found: Row[][] = [];
    // Decode the first pages while the server reads the others.
    await this.eachRow(combined, values, ([index, rows]) => {
      found[Number(index)] = decodeJson(rows as string, (columns) =>
        rowsOfJsonColumns(paging, columns as unknown[][]),
      );
    });
    return found;
  }

  /** Reads a single page with its own statement, because the statement for several pages would take twice as long. */
  private page<Row>(paging: KeysetQuery<Row>, { filter, from, limit }: PageQuery): Promise<Row[]> {
    const select = columnsSql(paging);
    if (filter === null)
      return this.selected(paging, "all", () => pageSql(paging, select, "$1", "$2"), [from, limit]);
    const write = () => filteredPageSql(paging, select, "$1", "$2", "$3");
    return this.selected(paging, "filtered", write, [filter, from, limit]);
  }

  private async selected<Row>(
    selection: Selection<Row>,
    variant: string,
    write: () => string,
    values: unknown[],
  ): Promise<Row[]> {
    const { name, text } = named(selection, variant, write);
    const { rows } = await this.connections.forQuery((client) =>
      client.query({ name, text, values, rowMode: "array" }).catch((cause: Error) => {
        throw new QueryFailedError(text, [], cause);
      }),
    );
    return rows.map((each) => selection.row(each));
  }

  /** Passes each row's values to a callback as text when they arrive; starts over if the connection breaks. */
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
              // Catches all errors, because an uncaught one would end the process.
              reject(error);
            }
          });
      });
    return this.connections.forQuery(query);
  }
}
