import type { EntityManager } from "typeorm";
import { batched, indexBy } from "../database/batch";
import type { Database } from "../database/database";
import type { Run } from "../database/engine";
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

/** Reads animals; what is asked for while a query is under way shares the next one. */
export class PetReader {
  constructor(private readonly database: Database) {}

  /** The animal with an id, which must be an int64; undefined when there is none. */
  readonly find = batched(async (ids) => indexBy(await this.byIds([ids]), ({ id }) => id));

  /** The rows of a page in the order of their ids, and one more where there are more. */
  page(page: PetPage): Promise<readonly Pet[]> {
    return this.pages(JSON.stringify(page)).then((rows) => rows ?? []);
  }

  private readonly byIds = this.database.prepare<Pet>({
    columns: COLUMNS,
    from: ({ among }) => `FROM pet WHERE ${among("pet.id", "$1")}`,
  });

  /** By page as JSON, so that those who ask for the same one share it. */
  private readonly pages = batched(async (pages) => {
    const rows = await Promise.all(pages.map((page) => this.rowsOf(JSON.parse(page))));
    return new Map(pages.map((page, i) => [page, rows[i]]));
  });

  private rowsOf({ status, after, limit }: PetPage): Promise<Pet[]> {
    const filters = [status != null && "pet.status =", after !== undefined && "pet.id >"];
    const values = [status, after].filter((value) => value != null);
    return this.pageWhere(filters.filter((filter) => filter !== false))([...values, limit + 1]);
  }

  private readonly prepared = new Map<string, Run<Pet>>();

  private pageWhere(filters: string[]): Run<Pet> {
    const where = filters.map((filter, i) => `${i === 0 ? "WHERE" : "AND"} ${filter} $${i + 1}`).join(" ");
    const known = this.prepared.get(where);
    if (known !== undefined) return known;
    const run = this.database.prepare<Pet>({
      columns: COLUMNS,
      from: () => `FROM pet ${where} ORDER BY pet.id LIMIT $${filters.length + 1}`,
    });
    this.prepared.set(where, run);
    return run;
  }
}

/** The animal with an id as a unit of work sees it. */
export async function petWithin(tx: EntityManager, id: string): Promise<Pet | undefined> {
  const columns = Object.entries(COLUMNS).map(([name, sql]) => `${sql} AS "${name}"`);
  const [pet] = await tx.query(`SELECT ${columns} FROM pet WHERE pet.id = $1`, [id]);
  return pet;
}
