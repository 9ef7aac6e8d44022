import { Extensions } from "type-graphql";

/** A rule for a field, expressed as JSON Schema (2020-12) keywords. */
export interface JsonSchemaRule {
  type?: "integer";
  format?: "int64" | "uuid";
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  /** `minItems` and `maxItems` apply to a list; all other keywords apply to its items. */
  minItems?: number;
  maxItems?: number;
}

/** Returns what is wrong with a value whose type is correct; undefined if nothing is. */
export type Check = (value: unknown) => string | undefined;

/** Declares a field's rule for REST and OpenAPI; the rule as a `check` lets REST report all violations together. */
export const JsonSchema = (rule: JsonSchemaRule, check?: Check): PropertyDecorator & MethodDecorator =>
  Extensions({ jsonSchema: rule, ...(check && { check }) });

interface Extended {
  extensions: Readonly<Record<string, unknown>>;
}

/** Returns the rule that `JsonSchema` declared on a field or argument; empty if there is none. */
export const ruleOf = (field: Extended | undefined): JsonSchemaRule =>
  (field?.extensions.jsonSchema as JsonSchemaRule | undefined) ?? {};

/** Returns the check that `JsonSchema` declared on a field or argument. */
export const checkOf = (field: Extended | undefined): Check | undefined =>
  field?.extensions.check as Check | undefined;
