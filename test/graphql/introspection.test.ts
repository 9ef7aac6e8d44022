import { loadConfig } from "../../src/config";
import type { ErrorCode } from "../../src/errors";
import { sqlite } from "../support/engines";
import { expectGraphQLError } from "../support/rejections";
import { suiteGateway } from "../support/suite";

const SCHEMA = "{ __schema { queryType { name } } }";
const TYPE = '{ __type(name: "Pet") { name } }';
const DID_YOU_MEAN = /did you mean/i;

/** Documents that graphql-js would answer with similar names from the schema. */
const MISSPELLED: [query: string, variables?: Record<string, unknown>][] = [
  ["{ pet { nodes { id } } }"],
  ["{ pets { node { id } } }"],
  ["{ pets(frist: 1) { nodes { id } } }"],
  ["{ pets(status: sol) { nodes { id } } }"],
  ["query ($x: Pets) { __typename }"],
  ['mutation { createPet(input: { nam: "x", categoryId: "1" }) { id } }'],
  ["mutation ($input: CreatePetInput!) { createPet(input: $input) { id } }", { input: { nam: "x" } }],
  [
    "mutation ($input: CreatePetInput!) { createPet(input: $input) { id } }",
    { input: { name: "x", categoryId: "1", status: "sol" } },
  ],
];

const SIGN_IN = "mutation ($input: SignInInput!) { signIn(input: $input) { token } }";

/**
 * Documents of callers without a credential, by the code of their rejection. Each has two versions, `<right|wrong>`,
 * the second with a name that is not in the schema.
 */
const GUESSES: Readonly<Partial<Record<ErrorCode, Record<string, string>>>> = {
  unauthenticated: {
    "a field": "{ <pets|hats> { nodes { id } } }",
    "a field below": "{ pets { nodes { <id|hat> } } }",
    "a field of a mutation": "mutation { signOut { wasActive } <deactivateOrganization { id }|hat> }",
    "a field of members": "{ <members|pets> { nodes { id } } }",
    "an argument": "{ pets(<first|hat>: 1) { nodes { id } } }",
    "an enum value": "{ pets(status: <sold|hat>) { nodes { id } } }",
    "an enum value in a variable": "query ($s: <PetStatus|Hat>) { pets(status: $s) { nodes { id } } }",
    "a field in a fragment": "{ ...a } fragment a on Query { ...a ... { <pets|hats> { nodes { id } } } }",
    "a field of another operation": "query A { __typename } query B { <pets|hats> { nodes { id } } }",
    "a root type": "<{ __schema { queryType { name } } }|subscription { hats }>",
    "a name that every JavaScript object has": "<{ pets { nodes { id } } }|subscription { constructor }>",
  },
  graphql_validation_failed: {
    "the type of a variable": "query ($x: <PetStatus|Hat>) { __typename }",
    "the type of a fragment": "{ __typename } fragment a on <Pet|Hat> { name }",
    "a field of a response for everyone": "mutation { signIn { <token|hat> } }",
  },
};
const GUESSED = Object.entries(GUESSES).flatMap(([code, guesses]) =>
  Object.entries(guesses).map(([what, text]): [string, ErrorCode, string] => [what, code as ErrorCode, text]),
);

test.each<[on: boolean, env: Record<string, string>]>([
  [true, {}],
  [true, { ENVIRONMENT: "development" }],
  [false, { ENVIRONMENT: "development", GRAPHQL_INTROSPECTION: "false" }],
  [false, { ENVIRONMENT: "staging" }],
  [true, { ENVIRONMENT: "staging", GRAPHQL_INTROSPECTION: "true" }],
  [false, { ENVIRONMENT: "production" }],
  [false, { ENVIRONMENT: "production", GRAPHQL_INTROSPECTION: "" }],
  [true, { ENVIRONMENT: "production", GRAPHQL_INTROSPECTION: "true" }],
])("introspection is on: %p, with %j", (on, env) => {
  expect(loadConfig(env).introspection).toBe(on);
});

describe.each<[on: boolean, env: Record<string, string>]>([
  [true, { ENVIRONMENT: "development" }],
  [false, { ENVIRONMENT: "production" }],
])("where introspection is on: %p, with %j", (on, env) => {
  const gateway = suiteGateway(sqlite, { env });

  test("the schema can be queried or not, however often", async () => {
    for (const query of [SCHEMA, TYPE, SCHEMA, SCHEMA, TYPE]) {
      const reply = await gateway.graphql(query);
      if (on) expect(reply.body.errors).toBeUndefined();
      else expectGraphQLError(reply, "graphql_validation_failed");
    }
  });

  test("the type of a value can be queried", async () => {
    expect((await gateway.graphql("{ __typename }")).body).toEqual({ data: { __typename: "Query" } });
  });

  test.each(GUESSED)(
    "%s can be guessed without a credential only if introspection is on",
    async (_, code, text) => {
      const [right, wrong] = ["$1", "$2"].map((version) => text.replace(/<(.*)\|(.*)>/, version));
      const send = (query = "", token?: null) => gateway.graphql(query, { s: "hat" }, { token });
      // Often enough to include the document after the server knows it.
      for (let i = 0; i < 6; i++) await send(right);
      const [first, second] = [await send(right, null), await send(wrong, null)];
      if (on) return expect(second.text).not.toBe(first.text);
      expectGraphQLError(first, code);
      expect([second.status, second.text]).toEqual([first.status, first.text]);
      expect(first.text).not.toMatch(/\b(pets?|petstatus|hats?|members)\b/i);
    },
  );

  test("signing in needs no credential", async () => {
    const { email, password } = gateway.ownerCredentials;
    const reply = await gateway.graphql(SIGN_IN, { input: { email, password } }, { token: null });
    expect(reply.body.data.signIn.token).toMatch(/\S/);
    const wrong = await gateway.graphql(SIGN_IN, { input: { email } }, { token: null });
    expectGraphQLError(wrong, "invalid_request");
  });

  test("the rejection of a misspelled name suggests no others, unless the schema may be known", async () => {
    const messages: string[] = [];
    for (const [query, variables] of MISSPELLED) {
      const { body } = await gateway.graphql(query, variables);
      messages.push(...body.errors.map(({ message }: { message: string }) => message));
    }
    expect(messages.length).toBeGreaterThanOrEqual(MISSPELLED.length);
    expect(messages.some((message) => DID_YOU_MEAN.test(message))).toBe(on);
  });
});
