import { buildSchema, getOperationAST, parse } from "graphql";
import { deprecatedParts } from "../../src/graphql/compiled/deprecated-parts";
import { type Deprecation, declareDeprecations, deprecate } from "../../src/schema/deprecation";

const SDL = `
  interface Named { name: String, title: String }
  enum Status { sold, lost }
  input Filter { status: Status, name: String, inner: Filter }
  type Pet implements Named { name: String, title: String, tags(first: Int, last: Int): [String] }
  type Query { animal(id: ID, status: Status, filter: Filter): Pet, named: Named, new: Int }
`;
const NAMES = [
  "Pet.title",
  "Named.name",
  "Pet.tags(last:)",
  "Query.animal(status:)",
  "Status.lost",
  "Filter.name",
  "Query.new",
];

const deprecation: Deprecation = {
  since: new Date(0),
  sunset: new Date(1),
  successor: "/",
  reason: "Use another.",
};

describe("the deprecated parts of an operation", () => {
  const schema = buildSchema(SDL);
  beforeAll(() => {
    declareDeprecations(Object.fromEntries(NAMES.map((name) => [name, deprecation])));
    deprecate(schema);
  });

  test.each([
    ["{ animal { name } }", []],
    ["{ animal { title } }", ["Pet.title"]],
    ["{ named { name ... on Pet { title } } }", ["Named.name", "Pet.title"]],
    ["{ animal { tags(first: 1) } }", []],
    ["{ animal { a: tags(last: 1) } }", ["Pet.tags(last:)"]],
    ["{ animal(status: lost) { name } }", ["Query.animal(status:)", "Status.lost"]],
    ["{ animal(filter: { status: sold }) { name } }", []],
    ['{ animal(filter: { inner: { name: "a", status: lost } }) { name } }', ["Filter.name", "Status.lost"]],
    ["query ($s: Status = lost) { animal(filter: { status: $s }) { name } }", ["Status.lost"]],
    ["{ ...f } fragment f on Query { animal { ...g } } fragment g on Pet { title }", ["Pet.title"]],
  ])("%s", (text, names) => {
    const document = parse(text);
    const operation = getOperationAST(document);
    if (!operation) throw new Error("There is no operation.");
    expect([...deprecatedParts(schema, document, operation)].sort()).toEqual([...names].sort());
  });

  test("are only those of this operation", () => {
    const document = parse("query a { ...f } query b { animal { name } } fragment f on Query { new }");
    const found = ["a", "b"].map((name) => {
      const operation = getOperationAST(document, name);
      return operation && deprecatedParts(schema, document, operation);
    });
    expect(found).toEqual([["Query.new"], []]);
  });

  test("must be declared: a part cannot be deprecated without a date of removal", () => {
    const other = buildSchema("type Query { old: Int @deprecated, pet: Int }");
    expect(() => deprecate(other)).toThrow("Query.old must be deprecated by the declaration of its feature.");
    expect(() => declareDeprecations({ "Status.lost": deprecation })).toThrow("declared twice");
  });
});
