import type { RestRoute, RouteGroup } from "../../../src/schema/rest-route";

const SHAPE = `flag count ratio name big color ref at point { x y label } points { x y label } tags grid bigs bits
  attributes anything`;

/** Returns a route with the required members. */
export const route = (operationId: string, more: Partial<RestRoute>): RestRoute => ({
  operationId,
  summary: operationId,
  method: "GET",
  path: `/${operationId}`,
  document: "{ numbers }",
  status: 200,
  result: ["numbers"],
  answers: "It.",
  example: {},
  ...more,
});

/** A route for every shape that REST supports. */
export const routes: readonly RestRoute[] = [
  route("echo", {
    method: "POST",
    document: `mutation ($input: ShapeInput!) { echo(input: $input) { ${SHAPE} } }`,
    bodyVariable: "input",
    result: ["echo"],
  }),
  route("found", {
    document: `query ($flag: Boolean, $count: Int, $ratio: Float, $big: ID, $color: Color, $at: DateTimeISO, $tags: [String!], $sizes: [Int!]) {
      found(flag: $flag, count: $count, ratio: $ratio, big: $big, color: $color, at: $at, tags: $tags, sizes: $sizes) {
        flag count ratio big color at tags sizes
      }
    }`,
    queryParameters: ["flag", "count", "ratio", "big", "color", "at", "sizes"]
      .map((name) => ({ name, variable: name }))
      .concat({ name: "tag", variable: "tags" }),
    result: ["found"],
  }),
  route("listItems", {
    path: "/groups/:id/items",
    document: `query ($id: ID!, $first: Int, $after: String, $tags: [String!]) {
      items(id: $id, first: $first, after: $after, tags: $tags) { nodes { id tag } pageInfo { hasNextPage endCursor } }
    }`,
    pathParameters: [
      { name: "id", variable: "id", format: "uuid", example: "01a1fcd2-254e-77bb-8319-2e26d1494ad2" },
    ],
    queryParameters: [
      { name: "limit", variable: "first" },
      { name: "cursor", variable: "after" },
      { name: "tag", variable: "tags" },
    ],
    result: ["items", "nodes"],
    pageInfo: ["items", "pageInfo"],
  }),
  route("putTag", {
    method: "PUT",
    path: "/items/:id/tags/:tag",
    document: `mutation ($id: ID!, $tag: String!, $expectedVersion: Int, $fresh: Boolean, $idempotencyKey: String) {
      put(
        input: {
          id: $id, tag: $tag, expectedVersion: $expectedVersion, fresh: $fresh, idempotencyKey: $idempotencyKey
        }
      ) {
        created
        item { id tag version key }
      }
    }`,
    pathParameters: [
      { name: "id", variable: "id", format: "uuid", example: "01a1fcd2-254e-77bb-8319-2e26d1494ad2" },
      { name: "tag", variable: "tag", example: "vip" },
    ],
    bodyMembers: [
      { name: "version", variable: "expectedVersion" },
      { name: "fresh", variable: "fresh" },
    ],
    status: { oneOf: [200, 201], choose: ({ created }) => (created ? 201 : 200) },
    result: ["put", "item"],
    location: ({ id, tag }) => `/items/${id}/tags/${tag}`,
    errors: ["conflict"],
    answers: { 200: "It was there.", 201: "It is new." },
  }),
  route("choose", {
    method: "POST",
    document: "mutation ($choice: Choice) { choose(choice: $choice) }",
    bodyVariable: "choice",
    result: ["choose"],
  }),
  route("accept", {
    method: "PATCH",
    document: "mutation ($status: Int!) { accept(status: $status) }",
    bodyMembers: [{ name: "status", variable: "status" }],
    status: { oneOf: [200, 202, 203, 204], choose: (data) => Number(data) as 200 },
    result: ["accept"],
  }),
  route("remove", {
    method: "DELETE",
    path: "/things/:id",
    document: "mutation ($id: ID!) { remove(id: $id) { id } }",
    pathParameters: [{ name: "id", variable: "id", format: "int64", example: 7 }],
    status: 204,
    result: ["remove"],
  }),
  route("release", {
    method: "POST",
    document: "mutation { release }",
    result: ["release"],
    deprecation: {
      since: new Date("2026-01-01T00:00:00Z"),
      sunset: new Date("2027-01-01T00:00:00Z"),
      successor: "/echo",
      reason: "Use echo.",
    },
  }),
  route("number", {
    path: "/numbers/:value",
    document: "query ($value: Int!) { renamed: number(value: $value) }",
    pathParameters: [{ name: "value", variable: "value", example: 1 }],
    result: ["renamed"],
  }),
  route("numbers", {}),
];

export const groups: readonly RouteGroup[] = [{ tag: "Shapes", description: "Of all kinds.", routes }];
