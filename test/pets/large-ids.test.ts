import { describeGateway } from "../support/suite";

const BIG = 2n ** 53n;

describeGateway((gateway, engine) => {
  beforeAll(async () => {
    // As if 2^53 pets had come before: the database counts on from there.
    const { database } = gateway.services;
    await database.write((tx) =>
      tx.query(`insert into pet (id, name, category_id) values (${BIG}, 'Big', 1)`),
    );
    if (engine.name === "PostgreSQL") {
      await database.write((tx) => tx.query(`SELECT setval(pg_get_serial_sequence('pet', 'id'), ${BIG})`));
    }
  });

  test("ids beyond 2^53 are exact in the answer, the address, the list, the cursor and the other API", async () => {
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

  test("a neighbour that a double could not tell apart is another pet", async () => {
    const { status } = await gateway.rest("GET", `/v1/pets/${BIG - 1n}`);
    expect(status).toBe(404);
  });
});
