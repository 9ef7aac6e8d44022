import { INT64 } from "../../src/common/int64";
import { describeGateway } from "../support/suite";

const BIG = 2n ** 53n;

describeGateway({ engine: "any" }, (gateway, engine) => {
  beforeAll(async () => {
    // As if 2^53 pets had been added before; the database continues from there.
    const { database } = gateway.services;
    await database.write((tx) =>
      tx.query(`insert into pet (id, name, category_id) values (${BIG}, 'Big', 1)`),
    );
    if (engine.name === "PostgreSQL") {
      await database.write((tx) => tx.query(`SELECT setval(pg_get_serial_sequence('pet', 'id'), ${BIG})`));
    }
  });

  test("IDs beyond 2^53 are exact in the response, the address, the list, the cursor and the other API", async () => {
    const id = String(BIG + 1n);
    const added = await gateway.rest("POST", "/v1/pets", { body: { name: "Odd", categoryId: 1 } });
    expect(added.text).toContain(`"id":${id},`);
    expect(added.headers.get("location")).toBe(`/v1/pets/${id}`);
    expect((await gateway.rest("GET", `/v1/pets/${id}`)).text).toContain(`"id":${id},"name":"Odd"`);
    const first = await gateway.rest("GET", "/v1/pets?limit=1");
    expect(first.text).toContain(`"id":${BIG},`);
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    expect((await gateway.rest("GET", next)).text).toContain(`"id":${id},`);
    const { body } = await gateway.graphql("query ($id: ID!) { pet(id: $id) { id name } }", { id });
    expect(body.data.pet).toEqual({ id, name: "Odd" });
  });

  test("an adjacent ID that a double could not distinguish belongs to another pet", async () => {
    const { status } = await gateway.rest("GET", `/v1/pets/${BIG - 1n}`);
    expect(status).toBe(404);
  });

  test("categories and names of every size are exact in lists that are requested together", async () => {
    const categories = [INT64.min, -BIG - 1n, -BIG, 1n - BIG, 0n, 7n, BIG - 1n, BIG, BIG + 1n, INT64.max];
    const names = [
      "7",
      "0123456789",
      "..........",
      "...........",
      'a"b',
      "\\u0041",
      "🐕",
      "é".repeat(11),
      "null",
      "]",
    ];
    const pets = categories.map((categoryId, i) => ({
      name: names[i] ?? "",
      categoryId: String(categoryId),
    }));
    const created = await Promise.all(
      pets.map((pet) =>
        gateway.graphql("mutation ($pet: CreatePetInput!) { createPet(input: $pet) { id } }", {
          pet: { ...pet, status: "sold" },
        }),
      ),
    );
    for (const { body } of created) expect(body.errors).toBeUndefined();
    const lists = [10, 11, 20, 50].map((first) =>
      gateway.graphql(
        "query ($first: Int) { pets(first: $first, status: sold) { nodes { name categoryId } } }",
        {
          first,
        },
      ),
    );
    for (const { body } of await Promise.all(lists)) {
      expect(body.data.pets.nodes).toHaveLength(pets.length);
      expect(body.data.pets.nodes).toEqual(expect.arrayContaining(pets));
    }
  });
});
