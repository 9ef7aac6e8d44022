import { buildSchema, getOperationAST, parse } from "graphql";
import type { Caller } from "../../src/auth/caller";
import { deprecatedParts } from "../../src/graphql/compiled/deprecated-parts";
import { type Deprecation, declareDeprecations, deprecate } from "../../src/schema/deprecation";

const SDL = `
  interface Named { name: String, title: String }
  enum Status { sold, lost }
  input Filter { status: Status, name: String, inner: Filter }
  type Pet implements Named { name: String, title: String, tags(first: Int, last: Int): [String] }
  type Query { animal(id: ID, status: Status, filter: Filter): Pet, named: Named, new: Int, guarded: Pet }
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

const DEPRECATIONS = new Map(NAMES.map((name) => [name, deprecation]));

describe("the deprecated parts of an operation", () => {
  const schema = buildSchema(SDL);
  beforeAll(() => {
    deprecate(schema, DEPRECATIONS);
    const { new: root, guarded } = schema.getQueryType()?.getFields() ?? {};
    for (const field of [root, guarded])
      Object.assign(field?.extensions ?? {}, { access: { allowed: { key: "pets:read" } } });
  });
  const keyWith = (...scopes: string[]) => ({ kind: "agent", key: { scopes } }) as unknown as Caller;
  const partsOf = (text: string, caller: Caller, name?: string) => {
    const document = parse(text);
    const operation = getOperationAST(document, name);
    if (!operation) throw new Error("There is no operation.");
    return [...deprecatedParts(schema, document, operation, caller)].sort();
  };

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
    expect(partsOf(text, keyWith("pets:read"))).toEqual([...names].sort());
  });

  test.each([
    ["{ new animal { title } }", ["Pet.title"]],
    ["{ guarded { title } }", []],
    ["{ guarded { ...f } } fragment f on Pet { title tags(last: 1) }", []],
    ["{ guarded { ...f } animal { ...f } } fragment f on Pet { title }", ["Pet.title"]],
    [
      "{ ...q } fragment q on Query { new guarded { title } animal(status: sold) { name } }",
      ["Query.animal(status:)"],
    ],
  ])("are only the parts that the caller may use: %s", (text, names) => {
    expect(partsOf(text, keyWith())).toEqual(names);
  });

  test("are only the parts of this operation", () => {
    const text = "query a { ...f } query b { animal { name } } fragment f on Query { new }";
    const found = ["a", "b"].map((name) => partsOf(text, keyWith("pets:read"), name));
    expect(found).toEqual([["Query.new"], []]);
  });

  test("must be declared: a part cannot be deprecated without a removal date", () => {
    const other = buildSchema("type Query { old: Int @deprecated, pet: Int }");
    expect(() => deprecate(other, DEPRECATIONS)).toThrow(
      "Query.old must be deprecated by the declaration of its feature.",
    );
    const renamed = buildSchema(SDL.replaceAll("title", "caption"));
    expect(() => deprecate(renamed, DEPRECATIONS)).toThrow("These deprecated parts do not exist: Pet.title.");
    // Route names are not looked up in schemas, which other tests create.
    const declare = () => declareDeprecations({ "GET /declared-twice": deprecation });
    declare();
    expect(declare).toThrow("declared twice");
  });
});
