/** A JSON Schema (2020-12), as OpenAPI 3.1 uses it. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** A type of event declared by a feature. */
export interface DeclaredEventType {
  /** A sentence about what happened. */
  description: string;
  data: JsonSchema;
}

/** The schema of an object whose properties are all required, or only the named ones. */
export const object = (
  properties: Record<string, JsonSchema>,
  required = Object.keys(properties),
): JsonSchema => ({ type: "object", required, properties });

/** Not a list of types, which generators do not support. */
export const orNull = (schema: JsonSchema): JsonSchema => ({ oneOf: [schema, { type: "null" }] });

export const ID: JsonSchema = { type: "string", format: "uuid" };
export const TEXT: JsonSchema = { type: "string" };
export const NUMBER: JsonSchema = { type: "integer", format: "int32" };
export const BOOLEAN: JsonSchema = { type: "boolean" };
