import { hashToken } from "../../src/credentials/token-format";
import { Pet } from "../../src/features/pets/pet.entity";
import { onAnyEngine } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";
import { slowTest } from "../support/slow-test";

const MUTATION = "mutation ($input: CreatePetInput!) { createPet(input: $input) { id } }";

onAnyEngine((engine) => {
  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await startGateway(engine);
  });
  afterEach(() => gateway.close());

  /**
   * Adds a pet through one API or the other.
   * @returns the error code, if any
   */
  async function add(i: number, name: string, idempotencyKey?: string): Promise<string | undefined> {
    if (i % 2 === 0) {
      const input = { name, categoryId: "1", idempotencyKey };
      return (await gateway.graphql(MUTATION, { input })).body.errors?.[0].extensions.code;
    }
    const headers: Record<string, string> = idempotencyKey ? { "idempotency-key": idempotencyKey } : {};
    return (await gateway.rest("POST", "/v1/pets", { body: { name, categoryId: 1 }, headers })).body.code;
  }

  const pets = () => gateway.rows.find(Pet);

  test("many concurrent mutations are all kept, except the ones that fail inside, which leave nothing", async () => {
    await add(0, "holds the key", "used");
    const numbers = Array.from({ length: 50 }, (_, i) => i);
    const fails = (i: number) => i % 5 === 0;
    // The idempotency key is looked up inside the transaction.
    const codes = await Promise.all(numbers.map((i) => add(i, `pet ${i}`, fails(i) ? "used" : undefined)));
    expect(codes).toEqual(numbers.map((i) => (fails(i) ? "idempotency_key_reused" : undefined)));
    const found = await pets();
    const kept = numbers.filter((i) => !fails(i)).map((i) => `pet ${i}`);
    expect(found.map(({ name }) => name).sort()).toEqual(["holds the key", ...kept].sort());
    expect(new Set(found.map(({ id }) => String(id))).size).toBe(found.length);
  });

  slowTest("concurrent mutations that the database rejects leave nothing and reveal no details", async () => {
    await gateway.rows.execute(REJECT_SOME[engine.name]);
    const numbers = Array.from({ length: 50 }, (_, i) => i);
    const fails = (i: number) => i % 5 === 0;
    // The record of a fresh idempotency key is written before the pet is rejected.
    const codes = await Promise.all(
      numbers.map((i) => add(i, `${fails(i) ? "rejected" : "pet"} ${i}`, `key ${i}`)),
    );
    expect(codes).toEqual(numbers.map((i) => (fails(i) ? "internal_error" : undefined)));
    const kept = numbers.filter((i) => !fails(i));
    expect((await pets()).map(({ name }) => name).sort()).toEqual(kept.map((i) => `pet ${i}`).sort());
    const records = await gateway.rows.query(
      "SELECT key FROM idempotency_record WHERE scope LIKE 'createPet:%'",
    );
    expect(records.map(({ key }: { key: string }) => key).sort()).toEqual(
      kept.map((i) => hashToken(`key ${i}`)).sort(),
    );
  });
});

/** Makes the database itself reject pets with a certain name. */
const REJECT_SOME = {
  SQLite: `CREATE TRIGGER reject BEFORE INSERT ON pet WHEN NEW.name LIKE 'rejected %'
           BEGIN SELECT RAISE(ABORT, 'rejected'); END`,
  PostgreSQL: "ALTER TABLE pet ADD CONSTRAINT reject CHECK (name NOT LIKE 'rejected %')",
};
