import type { GraphQLEnumType } from "graphql";
import { organizationScopes } from "../../src/auth/organization-scopes";
import { declareScopes, ORGANIZATION_SCOPES, Permission, SCOPES } from "../../src/auth/permissions";
import { FEATURES } from "../../src/features";
import { createSchema } from "../../src/graphql/schema";
import { accessOf } from "../../src/schema/access";

test("each scope that a feature declares is in the schema, with its description", () => {
  const declared = FEATURES.flatMap((feature) => Object.entries(feature.scopes ?? {}));
  expect(SCOPES).toEqual(declared.map(([name]) => name));
  const type = createSchema().getType("Scope") as GraphQLEnumType;
  for (const [name, allows] of [...declared, ...Object.entries(organizationScopes)]) {
    const description = `\`${name}\`: ${allows.charAt(0).toLowerCase()}${allows.slice(1)}`;
    expect(type.getValue(name.replace(":", "_"))).toMatchObject({ value: name, description });
  }
});

test("managers may do everything that an organization key may do, and each of its scopes is used", () => {
  const schema = createSchema();
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const rules = roots
    .flatMap((type) => Object.values(type?.getFields() ?? {}))
    .flatMap((field) => accessOf(field)?.allowed ?? [])
    .filter((allowed) => allowed !== "anyone")
    .filter(({ organizationKey }) => organizationKey !== undefined);
  // Only `whoami` is reserved for keys.
  expect(rules.filter(({ member }) => member === undefined)).toEqual([{ key: true, organizationKey: true }]);
  for (const { member } of rules) expect([undefined, true, Permission.config_manage]).toContain(member);
  const used = rules.map(({ organizationKey }) => organizationKey);
  expect(ORGANIZATION_SCOPES.filter((scope) => !used.includes(scope))).toEqual([]);
});

test("a scope has one declaration", () => {
  expect(() => declareScopes({ "pets:read": "Again." })).toThrow("declared twice");
});
