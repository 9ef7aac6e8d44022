import { sqlite } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";
import { expectGraphQLError } from "../support/refusals";

const SCHEMA = "{ __schema { queryType { name } } }";
const TYPE = '{ __type(name: "Pet") { name } }';
const DID_YOU_MEAN = /did you mean/i;

/** Documents that graphql-js would answer with names of the schema that come close. */
const MISSPELLED: [query: string, variables?: Record<string, unknown>][] = [
  ["{ pet { nodes { id } } }"],
  ["{ pets { node { id } } }"],
  ["{ pets(frist: 1) { nodes { id } } }"],
  ["{ pets(status: sol) { nodes { id } } }"],
  ["query ($x: Pets) { __typename }"],
  ['mutation { createPet(input: { nam: "x", categoryId: "1" }) { id } }'],
  ["mutation ($input: NewPet!) { createPet(input: $input) { id } }", { input: { nam: "x" } }],
  [
    "mutation ($input: NewPet!) { createPet(input: $input) { id } }",
    { input: { name: "x", categoryId: "1", status: "sol" } },
  ],
];

describe.each<[on: boolean, env: Record<string, string>]>([
  [true, {}],
  [true, { ENVIRONMENT: "development" }],
  [false, { ENVIRONMENT: "development", GRAPHQL_INTROSPECTION: "false" }],
  [false, { ENVIRONMENT: "staging" }],
  [true, { ENVIRONMENT: "staging", GRAPHQL_INTROSPECTION: "true" }],
  [false, { ENVIRONMENT: "production" }],
  [false, { ENVIRONMENT: "production", GRAPHQL_INTROSPECTION: "" }],
  [true, { ENVIRONMENT: "production", GRAPHQL_INTROSPECTION: "true" }],
])("introspection is on: %p, with %j", (on, env) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(sqlite, { env });
  });
  afterAll(() => gateway.close());

  test("the schema can be asked for, or not, as often as one asks", async () => {
    for (const query of [SCHEMA, TYPE, SCHEMA, SCHEMA, TYPE]) {
      const reply = await gateway.graphql(query);
      if (on) expect(reply.body.errors).toBeUndefined();
      else expectGraphQLError(reply, "graphql_validation_failed");
    }
  });

  test("the type of a value can be asked for", async () => {
    expect((await gateway.graphql("{ __typename }")).body).toEqual({ data: { __typename: "Query" } });
  });

  test("misspelled names are answered with no others, unless the schema may be known", async () => {
    const messages: string[] = [];
    for (const [query, variables] of MISSPELLED) {
      const { body } = await gateway.graphql(query, variables);
      messages.push(...body.errors.map(({ message }: { message: string }) => message));
    }
    expect(messages.length).toBeGreaterThanOrEqual(MISSPELLED.length);
    expect(messages.some((message) => DID_YOU_MEAN.test(message))).toBe(on);
  });
});
