import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildSchema } from "graphql";
import { graphqlBreaks, restBreaks, restContract, unnamedBreaks, whatBreaks } from "./breaks.mjs";

const SCHEMA = `
  type Query { pets(first: Int = 20, status: Status): [Pet!]! pet(id: ID!): Pet }
  type Pet { id: ID! name: String! }
  input NewPet { name: String! }
  enum Status { available sold }
  type Mutation { createPet(input: NewPet!): Pet }
`;

const name = { type: "string" };
const DOCUMENT = {
  paths: {
    "/v1/pets/{petId}": {
      post: {
        parameters: [{ name: "limit", schema: { type: "integer" } }],
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/NewPet" } } } },
        responses: {
          201: { content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } } },
          204: {},
          400: { content: { "application/json": { schema: { type: "object" } } } },
        },
      },
    },
  },
  components: {
    schemas: {
      NewPet: {
        type: "object",
        properties: { name, status: { type: ["string", "null"], enum: ["sold", null] } },
      },
      Pet: { type: "object", required: ["name"], properties: { name, tags: { type: "array", items: name } } },
    },
  },
};

const POST = "POST /v1/pets/{petId}";
const coordinatesOf = (breaks) => breaks.map(({ coordinate }) => coordinate);

/** Returns the breaks in the REST contract after applying `change` to a copy of the document. */
function restBreaksOf(change) {
  const changed = structuredClone(DOCUMENT);
  change(changed.components.schemas, changed.paths);
  return restBreaks(restContract(DOCUMENT), restContract(changed));
}

describe("the breaking changes of a schema", () => {
  for (const [before, after, ...coordinates] of [
    ["type Pet { id: ID! name: String! }", "type Pet { id: ID! }", "Pet.name"],
    ["[Pet!]!", "[Pet!]", "Query.pets"],
    ["first: Int = 20, ", "", "Query.pets(first:)"],
    ["first: Int = 20", "first: Int! = 20", "Query.pets(first:)"],
    ["pet(id: ID!)", "pet(id: ID!, agent: ID!)", "Query.pet(agent:)"],
    ["available sold", "available", "Status.sold"],
    ["input NewPet { name: String!", "input NewPet { name: String! kind: String!", "NewPet.kind"],
    ["input NewPet { name: String!", "input NewPet { name: Int!", "NewPet.name"],
    ["Pet { id: ID!", "Pet { id: ID! status: Status"],
  ]) {
    test(`${before} to ${after}: ${coordinates.join() || "none"}`, () => {
      const changed = SCHEMA.replace(before, after);
      assert.notEqual(changed, SCHEMA);
      assert.deepEqual(coordinatesOf(graphqlBreaks(buildSchema(SCHEMA), buildSchema(changed))), coordinates);
    });
  }
});

describe("the breaking changes of the REST API", () => {
  for (const [what, change, ...coordinates] of [
    ["a removed route", (_, paths) => delete paths["/v1/pets/{petId}"].post, POST],
    [
      "a removed parameter",
      (_, paths) => paths["/v1/pets/{petId}"].post.parameters.pop(),
      `${POST} request?limit`,
    ],
    ["a removed member of a result", ({ Pet }) => delete Pet.properties.tags, `${POST} response.tags`],
    [
      "another type of items",
      ({ Pet }) => (Pet.properties.tags.items = { type: "integer" }),
      `${POST} response.tags[]`,
    ],
    ["a member that may be absent", ({ Pet }) => (Pet.required = []), `${POST} response.name`],
    [
      "a member that may be null",
      ({ Pet }) => (Pet.properties.name = { oneOf: [name, { type: "null" }] }),
      `${POST} response.name`,
    ],
    ["a required member", ({ NewPet }) => (NewPet.required = ["name"]), `${POST} request.name`],
    [
      "a new required member",
      ({ NewPet }) =>
        Object.assign(NewPet, { required: ["kind"], properties: { ...NewPet.properties, kind: name } }),
      `${POST} request.kind`,
    ],
    [
      "a value less",
      ({ NewPet }) => (NewPet.properties.status.enum = ["lost", null]),
      `${POST} request.status`,
    ],
    ["null no more", ({ NewPet }) => (NewPet.properties.status.type = "string"), `${POST} request.status`],
    ["a new optional member", ({ NewPet }) => (NewPet.properties.kind = { ...name })],
    [
      "another way to say null",
      ({ NewPet }) =>
        (NewPet.properties.status = { oneOf: [{ type: "string", enum: ["sold"] }, { type: "null" }] }),
    ],
  ]) {
    test(`${what}: ${coordinates.join() || "none"}`, () => {
      assert.deepEqual(coordinatesOf(restBreaksOf(change)), coordinates);
    });
  }
});

describe("a break is named", () => {
  const removed = { coordinate: "Query.pets(first:)", isNullability: false };
  const nullable = { ...removed, isNullability: true };
  for (const [text, each, isNamed] of [
    ["`Query.pets(first:)` is gone", removed, true],
    ["Query.pets(first:) is gone", removed, false],
    ["`Query.*(first:)` is gone", removed, false],
    ["`Query.*(first:)` rejects null", nullable, true],
    ["`Query.*` rejects null", nullable, false],
  ]) {
    test(`by "${text}": ${isNamed}`, () => assert.equal(unnamedBreaks([each], text).length, isNamed ? 0 : 1));
  }

  test("only on the unreleased page, under What breaks", () => {
    const page = "### What you can do\n\nA\n\n### What breaks\n\n- B\n\n### Fixes\n\nC\n";
    assert.equal(
      whatBreaks(`# Log\n\n## 2.0.0 (unreleased)\n\n${page}\n## 1.0.0\n\n${page}`).trim(),
      "What breaks\n\n- B",
    );
    assert.equal(whatBreaks(`# Log\n\n## 2.0.0 - 2026-12-01\n\n${page}`), "");
  });
});
