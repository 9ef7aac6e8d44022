import type { EntityManager } from "typeorm";
import { indexBy } from "../../common/coalesce";
import { INT64 } from "../../common/int64";
import type { Database } from "../../database/database";
import type { KeysetQuery, Lookup, PageQuery } from "../../database/engine";
import type { Page } from "../../pagination/connection";
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

const BY_ID: Lookup<Pet> = { columns: COLUMNS, from: "pet", by: "pet.id" };

const PAGES: KeysetQuery<Pet> = { columns: COLUMNS, table: "pet", id: "pet.id", filter: "pet.status" };

/** Pages that share a query: more of them would keep those waiting that ask for little. */
const MAX_PAGES = 50;

/** Reads animals; what is asked for while a query is under way shares the next one. */
export class PetReader {
  constructor(private readonly database: Database) {}

  /** The animal with an id, which must be an int64; undefined when there is none. */
  readonly find = this.database.coalesceByKey("pets", async (ids) =>
    indexBy(await this.database.lookup(BY_ID, ids), ({ id }) => id),
  );

  /** The rows of a page in the order of their ids, and one more where there are more. */
  async page({ status, after, limit }: PetPage): Promise<readonly Pet[]> {
    const from = after === undefined ? INT64.min : BigInt(after) + 1n;
    if (from > INT64.max) return [];
    return this.rows({ filter: status ?? null, from: String(from), limit: limit + 1 });
  }

  private readonly rows = this.database.coalesce(
    "pages",
    (pages: readonly PageQuery[]) => this.database.pages(PAGES, pages),
    MAX_PAGES,
  );
}

/** The animals with these ids as a unit of work sees them, in any order. */
export function petsWithin(tx: EntityManager, ids: readonly string[]): Promise<Pet[]> {
  const columns = Object.entries(COLUMNS).map(([name, sql]) => `${sql} AS "${name}"`);
  const places = ids.map((_, i) => `$${i + 1}`);
  return tx.query(`SELECT ${columns} FROM pet WHERE pet.id IN (${places})`, [...ids]);
}
