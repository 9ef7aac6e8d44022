import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import type { RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { isInt64 } from "../../common/int64";
import type { Database } from "../../database/database";
import { allReturning, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError } from "../../errors";
import { type KeyedRequest, once, onceEach } from "../../idempotency/idempotency";
import { countRows } from "../../pagination/total-count";
import { assertKeysAccepted, keysAreAccepted } from "../api-keys/assert-accepted";
import { PET_ORDER, Pet, PetStatus } from "./pet.entity";
import { type CreatePetInput, PetConnection, type PetsArgs } from "./pet.inputs";
import { type PetPage, PetReader, petsWithin } from "./pet.reader";

/** Passed to `report` instead of an organization's ID, because the store belongs to no organization. */
const ALL_AGENTS = "pets";

/** Rows per statement, with three parameters each; PostgreSQL allows 65,535 parameters. */
const SEED_CHUNK = 5_000;

/** A pet to add, and the key that adds it (null for a member). */
type Draft = Pick<CreatePetInput, "name" | "categoryId" | "status"> & { keyId: string | null };

/** A pet to add, with the idempotency key of the request that adds it. */
interface KeyedDraft extends KeyedRequest {
  draft: Draft;
}

/** The petstore, shared by all API keys. */
export class PetService {
  private readonly reader: PetReader;
  private readonly add: (draft: Draft) => Promise<Pet>;
  private readonly addOnce: (draft: KeyedDraft) => Promise<Pet>;

  constructor(private readonly database: Database) {
    this.reader = new PetReader(database);
    this.add = database.batchInserts((tx, drafts) => this.insert(tx, drafts), { singleStatement: true });
    this.addOnce = database.batchInserts<KeyedDraft, Pet>((tx, keyed) =>
      onceEach(tx, keyed, {
        create: (fresh) =>
          this.insert(
            tx,
            fresh.map(({ draft }) => draft),
          ),
        find: (ids) => petsWithin(tx, ids),
        idOf: ({ id }) => id,
      }),
    );
  }

  /**
   * Returns one page of pets, ordered by ID.
   * @throws GatewayError `invalid_cursor`
   */
  async list(args: PetsArgs): Promise<PetConnection> {
    const page: PetPage = { ...PetConnection.pageOf(args), status: args.status };
    return new PetConnection(await this.reader.page(page), page, () => this.count(args.status));
  }

  private count(status: PetStatus | null | undefined): Promise<number> {
    return this.database.report(ALL_AGENTS, (reader) => {
      const query = reader.createQueryBuilder(Pet, "pet");
      return countRows(reader, status == null ? query : query.where({ status }));
    });
  }

  /** @returns the pet, or null if it does not exist or the ID is not an int64 */
  async find(id: string): Promise<Pet | null> {
    return isInt64(id) ? ((await this.reader.find(id)) ?? null) : null;
  }

  /**
   * Adds a pet on behalf of an agent or a member.
   * @throws GatewayError `idempotency_key_reused`
   */
  create(context: RequestContext, { idempotencyKey, ...pet }: CreatePetInput): Promise<Pet> {
    const { caller } = context;
    if (caller.kind !== "agent") return this.createByMember(context, { idempotencyKey, ...pet });
    const { agent, key } = caller;
    const draft = { ...pet, keyId: key.id };
    if (idempotencyKey == null) return this.add(draft);
    const { answer } = context;
    return this.addOnce({ scope: `createPet:${agent.id}`, key: idempotencyKey, request: pet, answer, draft });
  }

  private createByMember(context: RequestContext, { idempotencyKey, ...pet }: CreatePetInput): Promise<Pet> {
    const { caller } = context;
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, { permission: Permission.config_manage });
      return once(tx, {
        scope: `createPet:${caller.kind === "member" ? caller.id : caller.kind}`,
        answer: context.answer,
        key: idempotencyKey,
        request: pet,
        create: async () => (await this.insert(tx, [{ ...pet, keyId: null }]))[0] as Pet,
        repeat: async (id) => (await petsWithin(tx, [id]))[0] as Pet,
        idOf: ({ id }) => id,
      });
    });
  }

  /** Inserts pets in one statement that also rechecks the keys. RETURNING may reorder the rows, so IDs are sorted. */
  private async insert(tx: Tx, pets: readonly Draft[]): Promise<Pet[]> {
    await tx.lockInsertOrder(PET_ORDER);
    const keyIds = pets.flatMap(({ keyId }) => keyId ?? []);
    const accepted =
      keyIds.length === 0
        ? { condition: "1 = 1", parameters: [] }
        : keysAreAccepted(keyIds, 3 * pets.length + 1);
    const rows = await allReturning<{ id: string }>(
      tx,
      // PostgreSQL treats parameters in a subquery as text unless they are cast.
      `insert into pet (name, category_id, status)
       select column1, cast(column2 as bigint), column3
       from (values ${placeholders(pets.length, 3)}) as draft
       where ${accepted.condition}
       returning CAST(id AS TEXT) AS id`,
      [
        ...pets.flatMap(({ name, categoryId, status }) => [name, categoryId, status ?? null]),
        ...accepted.parameters,
      ],
    );
    if (rows.length < pets.length) {
      await assertKeysAccepted(tx, keyIds);
      throw new GatewayError("conflict");
    }
    const ids = rows.map(({ id }) => BigInt(id)).sort((a, b) => (a < b ? -1 : 1));
    return pets.map(({ name, categoryId, status }, i) => ({
      id: String(ids[i]),
      name,
      categoryId,
      status: status ?? null,
    }));
  }

  /** Adds sample pets. */
  async seed(count: number): Promise<void> {
    const statuses = [...Object.values(PetStatus), null];
    for (let done = 0; done < count; done += SEED_CHUNK) {
      const rows = Array.from({ length: Math.min(SEED_CHUNK, count - done) }, (_, i) => ({
        name: `Pet ${done + i + 1}`,
        categoryId: String(((done + i) % 10) + 1),
        status: statuses[(done + i) % statuses.length] ?? null,
      }));
      await this.database.write(async (tx) => {
        await tx.lockInsertOrder(PET_ORDER);
        await tx.createQueryBuilder().insert().into(Pet).values(rows).updateEntity(false).execute();
      });
    }
  }
}
