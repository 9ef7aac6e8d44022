import { type EntityManager, type EntityTarget, type FindOptionsWhere, In } from "typeorm";
import { organizationOf, type RequestContext } from "../auth/context";
import { chunked } from "../common/chunked";
import { indexBy, MAX_ITEMS } from "../common/coalesce";
import { groupBy } from "../common/group-by";
import type { Database } from "../database/database";
import { type ConnectionType, directionOf, type OrderedPageArgs } from "./connection";
import { countRows } from "./total-count";

/** Max lists per statement, below SQLite's limit of 500 terms in a compound SELECT. */
const MAX_LISTS = 100;

/** A list of an entity's rows with the same parent, such as a conversation's messages. */
interface ListOptions<Row> {
  /** Name of the batches in metrics. */
  what: string;
  entity: EntityTarget<Row>;
  /** The property that holds the parent's ID. */
  parent: keyof Row & string;
  /** The property that the list is ordered by; an index must cover the parent, then this property. */
  position?: keyof Row & string;
  /** Returns the value at a position, by default its ID; throws `invalid_cursor` for a row of another parent. */
  startIn?: (parentId: string, position: string) => string | number;
  /** An SQL condition that the listed rows meet. */
  condition?: string;
}

interface Request {
  parentId: string;
  direction: "ASC" | "DESC";
  limit: number;
  /** Position after which the page starts; undefined for the first page. */
  start: string | number | undefined;
}

const idIn = (parentId: string, position: string): string => position.slice(0, parentId.length);

/** Returns a page of a parent's list. */
export type ListOfParent<Connection> = (
  context: RequestContext,
  parentId: string,
  args: OrderedPageArgs,
) => Promise<Connection>;

/**
 * Creates lists of rows that belong to a parent. Lists that are requested together, such as the lists of all
 * conversations on a page, are read with two statements.
 * @returns a function that returns one page of a parent's list, without an access check
 * @throws GatewayError `invalid_cursor`
 */
export function listOfParent<Row extends { id: string }, Connection>(
  database: Database,
  Connection: ConnectionType<Row, Connection>,
  options: ListOptions<Row>,
): ListOfParent<Connection> {
  const { entity, parent, startIn = idIn } = options;
  const read = database.coalesceByKey(options.what, async (keys) => {
    const pages = new Map<string, Row[]>();
    for (const some of chunked(keys, MAX_LISTS)) {
      const requests: Request[] = some.map((key) => JSON.parse(key));
      const found = await database.read((reader) => pagesOf(reader, options, requests));
      for (const [i, key] of some.entries()) if (found[i]) pages.set(key, found[i]);
    }
    return pages;
  });
  return async (context, parentId, { order, ...args }) => {
    const page = Connection.pageOf(args);
    const start = page.after === undefined ? undefined : startIn(parentId, page.after);
    const request: Request = { parentId, direction: directionOf(order), limit: page.limit, start };
    const rows = (await read(JSON.stringify(request))) ?? [];
    return new Connection(rows, page, () =>
      database.report(organizationOf(context), (reader) => {
        const query = reader.createQueryBuilder(entity, "row").where({ [parent]: parentId });
        return countRows(reader, options.condition === undefined ? query : query.andWhere(options.condition));
      }),
    );
  };
}

/** Returns the rows of each page and the row after it. */
async function pagesOf<Row extends { id: string }>(
  reader: EntityManager,
  { entity, parent, position = "id", condition }: ListOptions<Row>,
  requests: readonly Request[],
): Promise<Row[][]> {
  const metadata = reader.connection.getMetadata(entity);
  const columnOf = (property: string) => metadata.findColumnWithPropertyName(property)?.databaseName;
  const table = `"${metadata.tableName}"`;
  const [parentColumn, positionColumn] = [columnOf(parent), columnOf(position)];
  const parameters: unknown[] = [];
  const parameter = (value: unknown) => `$${parameters.push(value)}`;
  const pages = requests.map(({ parentId, direction, limit, start }, page) => {
    const conditions = [`${parentColumn} = ${parameter(parentId)}`, ...(condition ? [condition] : [])];
    if (start !== undefined)
      conditions.push(`${positionColumn} ${direction === "ASC" ? ">" : "<"} ${parameter(start)}`);
    return `SELECT * FROM (SELECT id, ${page} AS page FROM ${table} WHERE ${conditions.join(" AND ")}
      ORDER BY ${positionColumn} ${direction} LIMIT ${limit + 1}) AS page_${page}`;
  });
  const found: { id: string; page: number }[] = await reader.query(pages.join(" UNION ALL "), parameters);
  const rows = await rowsOf(
    reader,
    entity,
    found.map(({ id }) => id),
  );
  const ofPage = groupBy(found, ({ page }) => page);
  return requests.map(({ direction }, page) => {
    const sign = direction === "ASC" ? 1 : -1;
    return (ofPage.get(page) ?? [])
      .flatMap(({ id }) => rows.get(id) ?? [])
      .sort((a, b) => (a[position as "id"] < b[position as "id"] ? -sign : sign));
  });
}

async function rowsOf<Row extends { id: string }>(
  reader: EntityManager,
  entity: EntityTarget<Row>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Row>> {
  const rows: Row[] = [];
  for (const some of chunked(ids, MAX_ITEMS))
    rows.push(...(await reader.findBy(entity, { id: In(some) } as FindOptionsWhere<Row>)));
  return indexBy(rows, ({ id }) => id);
}
