import { expectGraphQLError, expectRestError } from "../support/rejections";
import { describeGateway } from "../support/suite";

const CREATE = "mutation ($input: CreatePetInput!) { createPet(input: $input) { id } }";
const unknown = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`name${i}`, 1]));

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  test("both APIs name the first of as many unknown members as a body can contain", async () => {
    const rest = await gateway.rest("POST", "/v1/pets", { body: unknown(60_000) });
    expectRestError(rest, "invalid_request");
    expect(rest.body.message).toContain("name9 is not known");
    expect(rest.body.message).not.toContain("name10 ");
    const graphql = await gateway.graphql(CREATE, { input: unknown(4_500) });
    expectGraphQLError(graphql, "invalid_request");
    expect(graphql.body.errors[0].message).toContain("input.name9 is not known");
    expect(graphql.body.errors[0].message).not.toContain("name10 ");
  });

  test("the first of 1,000 unknown parameters are reported", async () => {
    const search = Array.from({ length: 1_000 }, (_, i) => `p${i}=1`).join("&");
    const reply = await gateway.rest("GET", `/v1/pets?${search}`);
    expectRestError(reply, "invalid_request");
    expect(reply.text.length).toBeLessThan(1_000);
  });

  test("five of 400 faults in a document are reported", async () => {
    const fields = Array.from({ length: 400 }, (_, i) => `name${i}`).join(" ");
    const reply = await gateway.graphql(`{ pets { nodes { ${fields} } } }`);
    expectGraphQLError(reply, "graphql_validation_failed");
    expect(reply.body.errors.length).toBe(6);
  });

  test("a list instead of one value is rejected, however long it is", async () => {
    const query = "query ($id: ID!) { pet(id: $id) { id } }";
    expectGraphQLError(await gateway.graphql(query, { id: Array(15_000).fill("1") }), "invalid_request");
  });
});
