import type { EntityManager } from "typeorm";
import { indexBy } from "../database/batch";
import type { Database } from "../database/database";
import type { Query, Select } from "../database/engine";
import type { Page } from "../graphql/connection";
import type { Pet, PetStatus } from "./pet.entity";

/** A page of the animals of one status, or of all. */
export interface PetPage extends Page {
  status: PetStatus | null | undefined;
}

/** Each int64 as text, for `sqlite3` would hand it over as a double. */
const COLUMNS = {
  id: "CAST(pet.id AS TEXT)",
  name: "pet.name",
  categoryId: "CAST(pet.category_id AS TEXT)",
  status: "pet.status",
};

const BY_IDS: Select<Pet> = {
  columns: COLUMNS,
  from: ({ among }) => `FROM pet WHERE ${among("pet.id", "$1")}`,
};

const pageWhere = (filter: string): Select<Pet> => ({
  columns: COLUMNS,
  from: () => `FROM pet ${filter} ORDER BY pet.id`,
  limited: true,
});
const FIRST_PAGE = pageWhere("");
const PAGE_AFTER = pageWhere("WHERE pet.id > $1");
const FIRST_PAGE_OF_STATUS = pageWhere("WHERE pet.status = $1");
const PAGE_OF_STATUS_AFTER = pageWhere("WHERE pet.status = $1 AND pet.id > $2");

function pageQuery(page: PetPage): Query<Pet> {
  const { status, after } = page;
  const limit = page.limit + 1;
  if (status == null) {
    return after === undefined
      ? { select: FIRST_PAGE, parameters: [], limit }
      : { select: PAGE_AFTER, parameters: [after], limit };
  }
  return after === undefined
    ? { select: FIRST_PAGE_OF_STATUS, parameters: [status], limit }
    : { select: PAGE_OF_STATUS_AFTER, parameters: [status, after], limit };
}

/** Reads animals; what is asked for while a query is under way shares the next one. */
export class PetReader {
  constructor(private readonly database: Database) {}

  /** The animal with an id, which must be an int64; undefined when there is none. */
  readonly find = this.database.batched("pets", async (ids) => {
    const [pets = []] = await this.database.select([{ select: BY_IDS, parameters: [ids] }]);
    return indexBy(pets, ({ id }) => id);
  });

  /** The rows of a page in the order of their ids, and one more where there are more. */
  async page(page: PetPage): Promise<readonly Pet[]> {
    const [pets = []] = await this.database.select([pageQuery(page)]);
    return pets;
  }
}

/** The animal with an id as a unit of work sees it. */
export async function petWithin(tx: EntityManager, id: string): Promise<Pet | undefined> {
  const columns = Object.entries(COLUMNS).map(([name, sql]) => `${sql} AS "${name}"`);
  const [pet] = await tx.query(`SELECT ${columns} FROM pet WHERE pet.id = $1`, [id]);
  return pet;
}
