import { addMember, codeOf } from "../support/people";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "any" }, (gateway) => {
  const addByRest = (pet: object) => gateway.rest("POST", "/v1/pets", { body: pet });

  test("a pet added through REST is returned with its ID and location", async () => {
    const reply = await addByRest({ name: "Rex", categoryId: 7, status: "available" });
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({ id: expect.any(Number), name: "Rex", categoryId: 7, status: "available" });
    expect(reply.headers.get("location")).toBe(`/v1/pets/${reply.body.id}`);
    expect((await gateway.rest("GET", `/v1/pets/${reply.body.id}`)).body).toEqual(reply.body);
  });

  test("a pet added through GraphQL is found through REST, and the other way round", async () => {
    const added = await gateway.graphql(
      "mutation ($input: CreatePetInput!) { createPet(input: $input) { id name categoryId status } }",
      {
        input: { name: "Tom", categoryId: "3" },
      },
    );
    expect(added.body).toEqual({
      data: { createPet: { id: expect.any(String), name: "Tom", categoryId: "3", status: null } },
    });
    const { id } = added.body.data.createPet;
    const found = await gateway.rest("GET", `/v1/pets/${id}`);
    expect(found.body).toEqual({ id: Number(id), name: "Tom", categoryId: 3 });
    const back = await gateway.graphql("query ($id: ID!) { pet(id: $id) { name } }", { id });
    expect(back.body).toEqual({ data: { pet: { name: "Tom" } } });
  });

  test("a member adds a pet once per idempotency key, and a member without permission lists it", async () => {
    const { token } = await addMember(gateway, { manage: true });
    const add = (name: string) =>
      gateway.graphql(
        'mutation ($name: String!) { createPet(input: { name: $name, categoryId: "4", idempotencyKey: "k" }) { id name } }',
        { name },
        { token },
      );
    const { id } = (await add("Member's")).body.data.createPet;
    expect((await add("Member's")).body.data.createPet).toEqual({ id, name: "Member's" });
    expect(codeOf(await add("Another"))).toBe("idempotency_key_reused");
    const viewer = await addMember(gateway);
    const { body } = await gateway.graphql("{ pets(first: 100) { nodes { id name } } }", {}, viewer);
    expect(body.data.pets.nodes.filter(({ name }: { name: string }) => name === "Member's")).toEqual([
      { id, name: "Member's" },
    ]);
  });

  test("getting a pet announces that the operation is deprecated", async () => {
    const { id } = (await addByRest({ name: "Old", categoryId: 1 })).body;
    const { headers } = await gateway.rest("GET", `/v1/pets/${id}`);
    expect(headers.get("deprecation")).toMatch(/^@\d+$/);
    expect(headers.get("sunset")).toBe("Thu, 05 Dec 2030 00:00:00 GMT");
    expect(headers.get("link")).toContain('</v1/pets>; rel="successor-version"');
  });

  test.each([
    "1",
    "2147483648",
    "9007199254740991",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
  ])("the category ID %s is returned exactly through both APIs", async (categoryId) => {
    // Sent as text, because JSON.stringify could not write it.
    const reply = await gateway.rest("POST", "/v1/pets", {
      body: `{"name":"Int","categoryId":${categoryId}}`,
    });
    expect(reply.text).toContain(`"categoryId":${categoryId}`);
    const id = /"id":(\d+)/.exec(reply.text)?.[1];
    expect((await gateway.rest("GET", `/v1/pets/${id}`)).text).toContain(`"categoryId":${categoryId}`);
    const { body } = await gateway.graphql("query ($id: ID!) { pet(id: $id) { categoryId } }", { id });
    expect(body.data.pet.categoryId).toBe(categoryId);
  });

  test("a name of any Unicode characters is returned unchanged", async () => {
    const name = "  🐕‍🦺 e\u0301 עברית \u202e ﷽ \ud83c\uddfa  ";
    const reply = await addByRest({ name, categoryId: 1 });
    expect(reply.body.name).toBe(name);
    expect((await gateway.rest("GET", `/v1/pets/${reply.body.id}`)).body.name).toBe(name);
  });
});
