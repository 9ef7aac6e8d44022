import type { EntityManager, SelectQueryBuilder } from "typeorm";
import { agentCaller, type RequestContext } from "../context";
import { batched, indexBy } from "../database/batch";
import { type Database, OrderedList } from "../database/database";
import { returning } from "../database/returning";
import { GatewayError } from "../errors";
import { type Page, paginate } from "../graphql/connection";
import { once } from "../idempotency/idempotency";
import { isInt64 } from "../validation/int64";
import { PetConnection } from "./pet.connection";
import { Pet, PetStatus } from "./pet.entity";
import type { NewPet, PetsArgs } from "./pet.inputs";

/** Rows of one statement; PostgreSQL takes 65,535 parameters, three a row. */
const SEED_CHUNK = 5_000;

interface PetPage extends Page {
  status: PetStatus | null | undefined;
}

/** The store of animals. It is one store, shared by every valid API key. */
export class PetService {
  constructor(private readonly database: Database) {}

  private readonly byId = batched(async (ids) =>
    indexBy(
      await this.database.read((reader) =>
        select(reader).where("pet.id IN (:...ids)", { ids }).getRawMany<Pet>(),
      ),
      (pet) => pet.id,
    ),
  );

  /** Rows by page, asked for as JSON: requests for the same page in one turn share its query. */
  private readonly pages = batched(async (keys) => {
    const rows = await Promise.all(keys.map((key) => this.rowsOf(JSON.parse(key))));
    return new Map(keys.map((key, i) => [key, rows[i]]));
  });

  /** @returns one page in the order of the ids. @throws GatewayError `invalid_cursor` */
  async list(args: PetsArgs): Promise<PetConnection> {
    const page: PetPage = { ...PetConnection.pageOf(args), status: args.status };
    return new PetConnection((await this.pages(JSON.stringify(page))) ?? [], page);
  }

  /** @returns the animal, or null when there is none with this id, be it an int64 or not */
  async find(id: string): Promise<Pet | null> {
    return isInt64(id) ? ((await this.byId(id)) ?? null) : null;
  }

  /** Adds an animal. @throws GatewayError `idempotency_key_reused` */
  create(context: RequestContext, { idempotencyKey, ...pet }: NewPet): Promise<Pet> {
    return this.database.write((tx) =>
      once(tx, {
        scope: `createPet:${agentCaller(context).agent.id}`,
        key: idempotencyKey,
        request: pet,
        create: async () => {
          await this.database.keepOrder(tx, OrderedList.pets);
          return insert(tx, pet);
        },
        repeat: (id) => select(tx).where("pet.id = :id", { id }).getRawOne<Pet>().then(present),
        idOf: ({ id }) => id,
      }),
    );
  }

  /** Adds made-up animals, to try things on. */
  async seed(count: number): Promise<void> {
    const statuses = [...Object.values(PetStatus), null];
    for (let done = 0; done < count; done += SEED_CHUNK) {
      const rows = Array.from({ length: Math.min(SEED_CHUNK, count - done) }, (_, i) => ({
        name: `Pet ${done + i + 1}`,
        categoryId: String(((done + i) % 10) + 1),
        status: statuses[(done + i) % statuses.length] ?? null,
      }));
      await this.database.write((tx) =>
        tx.createQueryBuilder().insert().into(Pet).values(rows).updateEntity(false).execute(),
      );
    }
  }

  private rowsOf({ status, ...page }: PetPage): Promise<Pet[]> {
    return this.database.read((reader) => {
      const query = select(reader);
      if (status != null) query.where("pet.status = :status", { status });
      return paginate(query, page).getRawMany<Pet>();
    });
  }
}

/** Casts each int64 to text, for `sqlite3` would hand it over as a double. */
function select(manager: EntityManager): SelectQueryBuilder<Pet> {
  return manager
    .createQueryBuilder(Pet, "pet")
    .select("CAST(pet.id AS TEXT)", "id")
    .addSelect("pet.name", "name")
    .addSelect("CAST(pet.category_id AS TEXT)", "categoryId")
    .addSelect("pet.status", "status");
}

async function insert(
  tx: EntityManager,
  { name, categoryId, status }: Omit<NewPet, "idempotencyKey">,
): Promise<Pet> {
  const row = await returning<Pick<Pet, "id">>(
    tx,
    "insert into pet (name, category_id, status) values ($1, $2, $3) returning CAST(id AS TEXT) AS id",
    [name, categoryId, status ?? null],
  );
  return { id: row.id, name, categoryId, status: status ?? null };
}

function present<T>(row: T | undefined): T {
  if (row === undefined) throw new GatewayError("not_found");
  return row;
}
