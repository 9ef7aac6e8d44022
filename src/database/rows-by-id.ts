import { type EntityTarget, type FindOptionsWhere, In } from "typeorm";
import { indexBy } from "../common/coalesce";
import type { Database } from "./database";

/**
 * Creates a coalesced lookup of rows by ID, without an access check.
 * @param what plural name of the lookups
 */
export const rowsById = <Row extends { id: string }>(
  database: Database,
  what: string,
  entity: EntityTarget<Row>,
): ((id: string) => Promise<Row | undefined>) =>
  database.coalesceByKey(what, async (ids) => {
    const rows = await database.read((reader) =>
      reader.findBy(entity, { id: In(ids) } as FindOptionsWhere<Row>),
    );
    return indexBy(rows, ({ id }) => id);
  });
