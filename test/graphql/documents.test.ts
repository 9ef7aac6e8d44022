import type { ErrorCode } from "../../src/errors";
import { codesOf, expectGraphQLError } from "../support/rejections";
import { describeGateway } from "../support/suite";

const CREATE = "mutation create($input: CreatePetInput!) { createPet(input: $input) { id } }";
const PET = { name: "Rex", categoryId: "1" };
const deep = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  test.each<[string, ErrorCode, string, Record<string, unknown>?]>([
    ["a syntax error", "graphql_parse_failed", "{ pets { "],
    ["only blanks", "graphql_parse_failed", "  \n"],
    ["only a comment", "graphql_parse_failed", "# nothing"],
    ["JSON", "graphql_parse_failed", '{"pets":1}'],
    ["NUL", "graphql_parse_failed", "{ pets\0 { nodes { id } } }"],
    ["a lone surrogate", "graphql_parse_failed", '{ pet(id: "\ud800") { id } }'],
    ["an unterminated string", "graphql_parse_failed", '{ pet(id: "1) { id } }'],
    ["lists 20,000 levels deep", "query_too_complex", `{ pet(id: ${deep("[", "]", 20_000)}) { id } }`],
    ["selections 20,000 levels deep", "query_too_complex", deep("{a", "}", 20_000)],
    ["an unknown field", "graphql_validation_failed", "{ nothing }"],
    ["the field __proto__", "graphql_validation_failed", "{ __proto__ }"],
    ["the field constructor", "graphql_validation_failed", "{ constructor }"],
    ["an unknown argument", "graphql_validation_failed", "{ pets(last: 1) { nodes { id } } }"],
    ["a missing argument", "graphql_validation_failed", "{ pet { id } }"],
    ["no selection of fields", "graphql_validation_failed", "{ pets }"],
    ["a selection of a scalar", "graphql_validation_failed", "{ pets { nodes { id { x } } } }"],
    ["an unknown type", "graphql_validation_failed", "query ($x: Nothing!) { pet(id: $x) { id } }"],
    ["an undeclared variable", "graphql_validation_failed", "{ pet(id: $id) { id } }"],
    ["an unused variable", "graphql_validation_failed", "query ($id: ID!) { __typename }"],
    [
      "a variable of the wrong type",
      "graphql_validation_failed",
      "query ($id: Int!) { pet(id: $id) { id } }",
    ],
    ["a fragment that spreads itself", "graphql_validation_failed", "{ ...a } fragment a on Query { ...a }"],
    ["an unknown directive", "graphql_validation_failed", "{ __typename @nothing }"],
    ["only a fragment", "graphql_validation_failed", "fragment a on Query { __typename }"],
    ["a type definition", "graphql_validation_failed", "type A { a: Int }"],
    ["a subscription", "invalid_request", "subscription { events { id } }"],
    ["a literal of the wrong type", "graphql_validation_failed", '{ pets(first: "1") { nodes { id } } }'],
    ["a literal beyond Int", "graphql_validation_failed", "{ pets(first: 99999999999) { nodes { id } } }"],
    ["an unknown status", "graphql_validation_failed", "{ pets(status: lost) { nodes { id } } }"],
    ["a status as text", "graphql_validation_failed", '{ pets(status: "sold") { nodes { id } } }'],
    ["a missing variable", "invalid_request", CREATE],
    ["a variable that is null", "invalid_request", CREATE, { input: null }],
    ["a variable that is text", "invalid_request", CREATE, { input: "Rex" }],
    ["a variable that is a list", "invalid_request", CREATE, { input: [PET, PET] }],
    ["a variable with an unknown field", "invalid_request", CREATE, { input: { ...PET, id: "1" } }],
    ["a variable with a missing field", "invalid_request", CREATE, { input: { name: "Rex" } }],
    ["two operations and no name", "invalid_request", "query a { __typename } query b { __typename }"],
  ])("a document with %s is rejected", async (_, code, query, variables = {}) => {
    const reply = await gateway.graphql(query, variables);
    expectGraphQLError(reply, code);
    expect(reply.body.errors[0].message.length).toBeLessThanOrEqual(500);
  });

  test.each([300, 1000, 2000, 3000, 5000, 10_000])("nesting of %i levels is rejected", async (levels) => {
    const list = `{ pet(id: ${deep("[", "]", levels)}) { id } }`;
    const object = `mutation { createPet(input: ${deep("{name:", "}", levels).replace("}", "1}")}) { id } }`;
    const selection = deep("{a", "}", levels);
    const fragments = `{ ${deep("... on Query {", "}", levels).replace("}", "nothing }")} }`;
    for (const query of [list, object, selection, fragments]) {
      const reply = await gateway.graphql(query);
      // The largest are longer than the limit for bodies.
      const [code] = codesOf(reply);
      expect(["graphql_parse_failed", "query_too_complex", "payload_too_large"]).toContain(code);
      expect(reply.status).toBe(code === "payload_too_large" ? 413 : 400);
    }
    const variables = `{"query":${JSON.stringify(CREATE)},"variables":{"input":${deep("[", "]", levels)}}}`;
    expect((await gateway.graphql("", {}, { body: variables })).status).toBe(400);
  });

  test("an operation that is not in the document is rejected", async () => {
    const body = { query: "query a { __typename }", operationName: "b" };
    expectGraphQLError(await gateway.rest("POST", "/graphql", { body }), "invalid_request", 200);
  });

  test("an error has its location in the document, and no extension except its code", async () => {
    const { body } = await gateway.graphql("{ nothing }");
    expect(body).toEqual({
      errors: [
        {
          message: 'Cannot query field "nothing" on type "Query".',
          locations: [{ line: 1, column: 3 }],
          extensions: { code: "graphql_validation_failed" },
        },
      ],
    });
  });
});
