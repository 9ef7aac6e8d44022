import { GraphQLEnumType } from "graphql";
import { auditActions } from "../../src/features/audit/audit-actions";
import { createSchema } from "../../src/graphql/schema";

test("an action that a feature declares is in the schema, with its description", () => {
  const { note_created: action } = auditActions({ note_created: "A note was created." });
  expect(action).toBe("note_created");
  const type = createSchema().getType("AuditAction") as GraphQLEnumType;
  expect(type.getValue("note_created")).toMatchObject({
    value: "note_created",
    description: "A note was created.",
  });
});

test("an action has one declaration, and a name that its column can hold", () => {
  expect(() => auditActions({ api_key_created: "Again." })).toThrow("declared twice");
  expect(() => auditActions({ ["x".repeat(41)]: "Too long." })).toThrow("too long");
});
