import { buildSchema, getVariableValues, Kind, parse } from "graphql";
import { variableCoercion } from "../../src/graphql/compiled/plan-variables";

const SCHEMA = buildSchema(`
  type Query { field(id: ID, count: Int, tags: [String!], filter: Filter): String }
  enum Color { red green }
  input Filter { color: Color! = red, sizes: [Int!], within: Filter }
`);

const coercions = (declared: string) => {
  const [operation] = parse(`query (${declared}) { field }`).definitions;
  const definitions = operation?.kind === Kind.OPERATION_DEFINITION ? operation.variableDefinitions : [];
  return [
    variableCoercion(SCHEMA, definitions ?? []),
    (given: Record<string, unknown>) => getVariableValues(SCHEMA, definitions ?? [], given),
  ];
};

test.each<[string, Record<string, unknown>]>([
  ["$id: ID", {}],
  ["$id: ID", { id: null }],
  ["$id: ID", { id: 7, other: 1 }],
  ["$id: ID", { id: {} }],
  ["$id: ID!", {}],
  ["$id: ID!", { id: null }],
  ["$id: ID!, $count: Int!", {}],
  ["$count: Int = 3", {}],
  ["$count: Int = 3", { count: null }],
  ["$count: Int! = 3", {}],
  ["$count: Int! = 3", { count: null }],
  ["$count: Int", { count: "1" }],
  ["$tags: [String!]", { tags: "one" }],
  ["$tags: [String!]", { tags: ["one", null] }],
  ["$filter: Filter", { filter: {} }],
  ["$filter: Filter", { filter: { color: "blue", sizes: [1, "2"], unknown: 1 } }],
  ["$filter: Filter = { sizes: 1, within: { color: green } }", {}],
  ["$toString: ID, $constructor: ID = 1", {}],
])("variables declared as (%s) are coerced like graphql-js does for %j", (declared, given) => {
  const [coerce, expected] = coercions(declared);
  const { coerced, errors } = coerce?.(given) ?? {};
  const wanted = expected?.(given);
  expect(errors?.map(String)).toEqual(wanted?.errors?.map(String));
  expect(coerced && { ...coerced }).toEqual(wanted?.coerced && { ...wanted.coerced });
});
