import { Extensions } from "type-graphql";

/** The keywords of JSON Schema (2020-12) that a rule on a field amounts to. */
export interface JsonSchemaRule {
  type?: "integer";
  format?: "int64";
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
}

/** Says a rule on a field in JSON Schema too, in the extensions of the GraphQL schema, for REST and OpenAPI. */
export const JsonSchema = (rule: JsonSchemaRule): PropertyDecorator & MethodDecorator =>
  Extensions({ jsonSchema: rule });

/** What `JsonSchema` said of a field or argument. */
export const ruleOf = (
  field: { extensions: Readonly<Record<string, unknown>> } | undefined,
): JsonSchemaRule => (field?.extensions.jsonSchema as JsonSchemaRule | undefined) ?? {};
