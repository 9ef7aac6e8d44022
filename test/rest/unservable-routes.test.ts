import { ROUTES } from "../../src/features";
import { createSchema } from "../../src/graphql/schema";
import { validateRoute } from "../../src/rest/plan";
import type { RestRoute } from "../../src/schema/rest-route";
import { route } from "./shapes/routes";
import { schema, startServer } from "./shapes/server";

describe("a route that cannot be served", () => {
  const rejected: [string, Partial<RestRoute>, RegExp][] = [
    [
      "a document that does not fit the schema",
      { document: "{ nonsense }" },
      /Cannot query field "nonsense"/,
    ],
    ["an unknown argument", { document: "{ number(value: 1, other: 2) }" }, /Unknown argument "other"/],
    ["a missing argument", { document: "{ number }" }, /argument "value" of type "Int!"/],
    ["an argument of the wrong type", { document: '{ number(value: "1") }' }, /Int cannot/],
    [
      "a variable that is not declared",
      { document: "{ number(value: $value) }" },
      /Variable "\$value" is not defined/,
    ],
    ["an unknown type", { document: "query ($x: Nothing) { json(value: $x) }" }, /Unknown type "Nothing"/],
    ["a variable of an output type", { document: "query ($x: Point) { json(value: $x) }" }, /non-input type/],
    [
      "a variable of another type than its argument",
      { document: "query ($value: String!) { number(value: $value) }" },
      /used in position expecting type "Int!"/,
    ],
    ["an object without its fields", { document: "{ found }" }, /selection of subfields/],
    ["fields of a number", { document: "{ open { x } }" }, /must not have a selection/],
    ["an invalid document", { document: "{" }, /Syntax Error/],
    ["two operations", { document: "query a { numbers } query b { numbers }" }, /one query or mutation/],
    ["two root fields", { document: "{ numbers open }" }, /one root field/],
    ["a result that is not selected", { result: ["other"] }, /selects no other/],
    ["a GET that changes something", { document: "mutation { release }" }, /a GET must not change/],
    ["an undeclared path parameter", { path: "/x/:id" }, /pathParameters must be/],
    [
      "a variable that nothing fills",
      { document: "query ($value: Int!) { number(value: $value) }" },
      /fills \$value/,
    ],
    ["a parameter without variable", { queryParameters: [{ name: "x", variable: "x" }] }, /no variable \$x/],
    [
      "a variable that is filled twice",
      {
        document: "query ($value: Int!) { number(value: $value) }",
        queryParameters: [
          { name: "a", variable: "value" },
          { name: "b", variable: "value" },
        ],
      },
      /\$value is filled twice/,
    ],
    [
      "a JSON value in a query",
      {
        document: "query ($value: JSON) { json(value: $value) }",
        queryParameters: [{ name: "v", variable: "value" }],
      },
      /a query cannot carry v/,
    ],
    [
      "a list in a path",
      {
        path: "/x/:tags",
        document: "query ($tags: [String!]) { found(tags: $tags) { count } }",
        pathParameters: [{ name: "tags", variable: "tags", example: "a" }],
      },
      /a path cannot carry tags/,
    ],
    [
      "a format for a value that is not an ID",
      {
        path: "/x/:value",
        document: "query ($value: Int!) { number(value: $value) }",
        pathParameters: [{ name: "value", variable: "value", format: "uuid", example: 1 }],
      },
      /only an ID has a format/,
    ],
    ["a body with GET", { bodyVariable: "x" }, /a GET has no body/],
    ["a body with DELETE", { method: "DELETE", bodyMembers: [] }, /a DELETE has no body/],
    ["two bodies", { method: "POST", bodyVariable: "x", bodyMembers: [] }, /declared twice/],
    ["no status", { status: { oneOf: [], choose: () => 200 } }, /no status/],
    ["an interface in its response", { document: "{ named { name } }" }, /cannot represent the type Named/],
    ["an unknown scalar in its response", { document: "{ unknown }" }, /cannot represent the type Unknown/],
    ["a fragment in its document", { document: "{ found { ... { count } } }" }, /cannot represent fragments/],
    [
      "a recursive input",
      {
        method: "POST",
        document: "query ($input: Endless) { endless(input: $input) }",
        bodyVariable: "input",
      },
      /recursive type Endless/,
    ],
    ["a field without access", { document: "{ open }" }, /open declares no @Access/],
    ["a page without its cursor", { pageInfo: ["numbers"] }, /selects no numbers.hasNextPage/],
  ];

  test.each(rejected)("for %s is rejected and named", async (_, more, reason) => {
    const { document = "" } = more;
    const [, field = "numbers"] = /\{ (\w+)/.exec(document) ?? [];
    const broken = route("broken", { result: [field], ...more });
    const start = (async () => {
      validateRoute(broken, schema);
      await startServer([broken]);
    })();
    await expect(start).rejects.toThrow(/^REST route broken \([A-Z]+ \/.*\) cannot be served: .*\.$/);
    await expect(start).rejects.toThrow(reason);
  });

  test("because it is declared twice fails at start and is named", async () => {
    await expect(startServer([route("a", {}), route("b", { path: "/a" })])).rejects.toThrow(
      "REST route b (GET /a) is declared twice.",
    );
  });
});

test("a route with a JSON schema fails at start, because nothing would check it", async () => {
  const app = await startServer([]);
  app.get("/x", { schema: { querystring: { type: "object" } } }, async () => "x");
  await expect(app.ready()).rejects.toThrow("Routes have no schemas");
});

test("the documents of the REST API are valid", () => {
  const real = createSchema();
  for (const each of ROUTES) validateRoute(each, real);
  expect(ROUTES.length).toBeGreaterThan(20);
});
