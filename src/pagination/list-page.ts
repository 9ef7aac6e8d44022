import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from "typeorm";
import { organizationOf, type RequestContext } from "../auth/context";
import type { Database } from "../database/database";
import { type ConnectionType, type Page, type PageArgs, paginate } from "./connection";
import { countRows } from "./total-count";

interface List<Row extends ObjectLiteral> {
  /** Selects all rows of the list; null if the list is empty. */
  matching(reader: EntityManager): Matching<Row> | Promise<Matching<Row>>;
  /** The order of the IDs, ascending by default, or another way to select a page. */
  order?: "ASC" | "DESC" | ((query: SelectQueryBuilder<Row>, page: Page) => SelectQueryBuilder<Row>);
  /** True if a page may read many rows, because its filters may match few. */
  mayReadMany?: boolean;
}

type Matching<Row extends ObjectLiteral> = SelectQueryBuilder<Row> | null;

/** Reads a page of the organization's list; the total is counted only if selected. Throws `invalid_cursor`. */
export async function listPage<Row extends ObjectLiteral, Connection>(
  database: Database,
  context: RequestContext,
  Connection: ConnectionType<Row, Connection>,
  args: PageArgs,
  { matching, order = "ASC", mayReadMany = false }: List<Row>,
): Promise<Connection> {
  const page = Connection.pageOf(args);
  const report = <T>(query: (reader: EntityManager) => Promise<T>) =>
    database.report(organizationOf(context), query);
  const readRows = async (reader: EntityManager) => {
    const query = await matching(reader);
    if (query === null) return [];
    return (typeof order === "string" ? paginate(query, page, order) : order(query, page)).getMany();
  };
  const rows = await (mayReadMany ? report(readRows) : database.read(readRows));
  return new Connection(rows, page, () =>
    report(async (reader) => countRows(reader, await matching(reader))),
  );
}
