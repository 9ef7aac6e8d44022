import { INT64 } from "../../common/int64";
import type { Database } from "../../database/database";
import type { KeysetQuery, Lookup, PageQuery } from "../../database/engine";
import { placeholders } from "../../database/returning";
import { int64, type Selection, text } from "../../database/selection";
import type { Tx } from "../../database/unit-of-work";
import type { Page } from "../../pagination/connection";
import type { Pet, PetStatus } from "./pet.entity";

/** A page of all pets, or of pets with one status. */
export interface PetPage extends Page {
  status: PetStatus | null | undefined;
}

type PetValues = [id: string, name: string, categoryId: string, status: PetStatus | null];

const PETS: Selection<Pet> = {
  columns: [int64("pet.id"), text("pet.name"), int64("pet.category_id"), "pet.status"],
  row: ([id, name, categoryId, status]: PetValues) => ({ id, name, categoryId, status }),
};

const BY_ID: Lookup<Pet> = { ...PETS, from: "pet", by: "pet.id" };

const PAGES: KeysetQuery<Pet> = { ...PETS, table: "pet", id: "pet.id", filter: "pet.status" };

/** Max pages per query, because more pages would delay small ones. */
const MAX_PAGES = 50;

/** Reads pets; lookups that arrive during a query share the next query. */
export class PetReader {
  /** Finds a pet by its int64 ID; undefined if it does not exist. */
  readonly find: (id: string) => Promise<Pet | undefined>;
  private readonly rows: (page: PageQuery) => Promise<Pet[]>;

  constructor(database: Database) {
    this.find = database.lookups("pets", BY_ID, ({ id }) => id);
    this.rows = database.pages("pages", PAGES, MAX_PAGES);
  }

  /** Returns the rows of a page in ID order, plus one more if there is a next page. */
  async page({ status, after, limit }: PetPage): Promise<readonly Pet[]> {
    const from = after === undefined ? INT64.min : BigInt(after) + 1n;
    if (from > INT64.max) return [];
    return this.rows({ filter: status ?? null, from: String(from), limit: limit + 1 });
  }
}

/**
 * Returns the pets with these IDs, in any order. Selects int64 values as text, because `sqlite3` returns integers as
 * doubles.
 */
export function petsWithin(tx: Tx, ids: readonly string[]): Promise<Pet[]> {
  return tx.query(
    `SELECT CAST(id AS TEXT) AS id, name, CAST(category_id AS TEXT) AS "categoryId", status FROM pet
     WHERE id IN ${placeholders(1, ids.length)}`,
    [...ids],
  );
}
