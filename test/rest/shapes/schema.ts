import {
  buildSchema,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  type GraphQLScalarType,
} from "graphql";
import { GraphQLISODateTime } from "type-graphql";
import { GatewayError, InvalidInput } from "../../../src/errors";

const FIELDS = (point: string) => `
  flag: Boolean! count: Int ratio: Float name: String big: ID! color: Color ref: ID at: DateTimeISO
  point: ${point} points: [${point}!] tags: [String!] grid: [[Int]!] bigs: [ID!] bits: [Boolean]
  attributes: JSONObject anything: JSON`;

const SDL = `
  scalar JSON scalar JSONObject scalar DateTimeISO scalar Unknown
  enum Color { red green blue }
  input PointInput { x: Int! y: Float = 0.5 label: String }
  input ShapeInput { ${FIELDS("PointInput")} idempotencyKey: String }
  input PutInput { id: ID! tag: String! expectedVersion: Int fresh: Boolean! = true idempotencyKey: String }
  input Choice { id: ID name: String point: PointInput }
  input Endless { again: Endless }
  type Point { x: Int! y: Float label: String }
  type Shape { ${FIELDS("Point")} }
  interface Named { name: String }
  type Put { created: Boolean! item: Item! }
  type Item { id: ID! tag: String! version: Int key: String }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type Items { nodes: [Item!]! pageInfo: PageInfo! }
  type Found { flag: Boolean count: Int ratio: Float big: ID color: Color at: DateTimeISO tags: [String!] sizes: [Int!] }
  type Query {
    found(flag: Boolean, count: Int, ratio: Float, big: ID, color: Color, at: DateTimeISO, tags: [String!], sizes: [Int!]): Found
    items(id: ID!, first: Int = 2, after: String, tags: [String!]): Items!
    number(value: Int!): Int
    numbers: [Float]!
    named: Named
    endless(input: Endless): Int
    unknown: Unknown
    json(value: JSON): JSON
    open: Int
  }
  type Mutation {
    echo(input: ShapeInput!): Shape!
    put(input: PutInput!): Put!
    choose(choice: Choice): JSON!
    accept(status: Int!): Int!
    remove(id: ID!): Item
    release: Boolean!
  }
`;

type Args = Record<string, unknown>;

const PROBLEMS = ["input.expectedVersion", "input.tag.0", "input.idempotencyKey", "input.other", "input"].map(
  (path) => ({ path, message: "is odd" }),
);

const RESOLVERS: Record<string, (source: unknown, args: Args) => unknown> = {
  found: (_, args) => args,
  items: (_, { first }) => ({
    nodes: Array.from({ length: Number(first) }, (_, i) => ({ id: "1", tag: `t${i}` })),
    pageInfo: { hasNextPage: true, endCursor: "next" },
  }),
  number: (_, { value }) => value,
  numbers: () => [1.5, null, -2],
  json: (_, { value }) => value ?? null,
  echo: (_, { input }) => input,
  put: (_, { input }) => {
    const { id, tag, fresh, expectedVersion, idempotencyKey } = input as Args;
    if (expectedVersion === 13) throw new GatewayError("conflict");
    if (expectedVersion === 14) throw new InvalidInput(PROBLEMS);
    return { created: fresh, item: { id, tag, version: expectedVersion, key: idempotencyKey } };
  },
  choose: (_, { choice }) => choice ?? null,
  accept: (_, { status }) => status,
  remove: (_, { id }) => (id === "7" ? { id, tag: "gone" } : null),
  release: () => true,
  open: () => 1,
};

const OPEN = { allowed: "anyone", whileDeactivated: false };

/**
 * Returns a schema with a field of every JSON shape, all open to every caller, except the field `open`, which declares
 * no access.
 */
export function createShapes() {
  const schema = buildSchema(SDL);
  const scalar = schema.getType("DateTimeISO") as GraphQLScalarType;
  const { parseValue, parseLiteral, serialize } = GraphQLISODateTime;
  Object.assign(scalar, { parseValue, parseLiteral, serialize });
  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(root?.getFields() ?? {})) {
      field.resolve = RESOLVERS[field.name];
      if (field.name !== "open") field.extensions = { access: OPEN };
    }
  }
  const int64 = { jsonSchema: { format: "int64" } };
  for (const name of ["ShapeInput", "Shape"]) {
    const fields = (schema.getType(name) as GraphQLObjectType | GraphQLInputObjectType).getFields();
    Object.assign(fields.big ?? {}, { extensions: int64 });
    Object.assign(fields.ref ?? {}, { extensions: { jsonSchema: { format: "uuid" } } });
    Object.assign(fields.bigs ?? {}, { extensions: { jsonSchema: { format: "int64", maxItems: 3 } } });
    Object.assign(fields.count ?? {}, { extensions: atMost(1000) });
  }
  Object.assign((schema.getType("Found") as GraphQLObjectType).getFields().big ?? {}, { extensions: int64 });
  const { expectedVersion } = (schema.getType("PutInput") as GraphQLInputObjectType).getFields();
  Object.assign(expectedVersion ?? {}, { extensions: atMost(1000), description: "The version." });
  (schema.getType("Choice") as GraphQLInputObjectType).isOneOf = true;
  for (const argument of schema.getQueryType()?.getFields().found?.args ?? []) {
    if (argument.name === "big") argument.extensions = int64;
    if (argument.name === "count") argument.extensions = atMost(1000);
  }
  for (const argument of schema.getQueryType()?.getFields().items?.args ?? []) {
    if (argument.name === "first") argument.extensions = atMost(5);
  }
  return schema;
}

const atMost = (maximum: number) => ({
  jsonSchema: { minimum: -1000, maximum },
  check: (value: unknown) => {
    if ((value as number) > maximum) return `must be at most ${maximum}`;
    return (value as number) < -1000 ? "must be at least -1000" : undefined;
  },
});
