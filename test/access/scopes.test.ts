import type { GraphQLEnumType } from "graphql";
import { declareScopes, SCOPES } from "../../src/auth/permissions";
import { FEATURES } from "../../src/features";
import { createSchema } from "../../src/graphql/schema";

test("each scope that a feature declares is in the schema, with its description", () => {
  const declared = FEATURES.flatMap((feature) => Object.entries(feature.scopes ?? {}));
  expect(SCOPES).toEqual(declared.map(([name]) => name));
  const type = createSchema().getType("Scope") as GraphQLEnumType;
  for (const [name, allows] of declared) {
    const description = `\`${name}\`: ${allows.charAt(0).toLowerCase()}${allows.slice(1)}`;
    expect(type.getValue(name.replace(":", "_"))).toMatchObject({ value: name, description });
  }
});

test("a scope has one declaration", () => {
  expect(() => declareScopes({ "pets:read": "Again." })).toThrow("declared twice");
});
