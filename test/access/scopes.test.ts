import type { GraphQLEnumType } from "graphql";
import { declareScopes, SCOPES } from "../../src/auth/permissions";
import { createSchema } from "../../src/graphql/schema";

test("a scope that a feature declares is in the schema, with its description", () => {
  declareScopes({ "notes:read": "List and read notes." });
  expect(SCOPES).toContain("notes:read");
  const type = createSchema().getType("Scope") as GraphQLEnumType;
  expect(type.getValue("notes_read")).toMatchObject({
    value: "notes:read",
    description: "`notes:read`: list and read notes.",
  });
});

test("a scope has one declaration", () => {
  expect(() => declareScopes({ "pets:read": "Again." })).toThrow("declared twice");
});
