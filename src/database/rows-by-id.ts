import { type EntityManager, type EntityTarget, type FindOptionsWhere, In } from "typeorm";
import { indexBy } from "../common/coalesce";
import { groupBy } from "../common/group-by";
import type { Database } from "./database";

/** Reads the rows that have any of the keys. */
type ReadRows<Row> = (reader: EntityManager, keys: string[]) => Promise<Row[]>;

/**
 * Creates a coalesced lookup of the row with a key, without an access check.
 * @param what plural name of the lookups
 * @param property the property that holds the key
 */
export const rowByKey = <Row>(
  database: Database,
  what: string,
  property: keyof Row,
  read: ReadRows<Row>,
): ((key: string) => Promise<Row | undefined>) =>
  database.coalesceByKey(what, async (keys) =>
    indexBy(await database.read((reader) => read(reader, keys)), (row) => row[property] as string),
  );

/** Creates a coalesced lookup of all rows with a key, like `rowByKey`; undefined if there are none. */
export const rowsByKey = <Row>(
  database: Database,
  what: string,
  property: keyof Row,
  read: ReadRows<Row>,
): ((key: string) => Promise<Row[] | undefined>) =>
  database.coalesceByKey(what, async (keys) =>
    groupBy(await database.read((reader) => read(reader, keys)), (row) => row[property] as string),
  );

/** Creates a coalesced lookup of rows by ID, like `rowByKey`. */
export const rowsById = <Row extends { id: string }>(
  database: Database,
  what: string,
  entity: EntityTarget<Row>,
): ((id: string) => Promise<Row | undefined>) =>
  rowByKey(database, what, "id", (reader, ids) =>
    reader.findBy(entity, { id: In(ids) } as FindOptionsWhere<Row>),
  );
