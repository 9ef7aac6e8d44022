type JsonSchema = Readonly<Record<string, unknown>>;

/** A type of event declared by a feature. */
export interface DeclaredEventType {
  /** A sentence that describes the event. */
  description: string;
  data: JsonSchema;
}

/** Returns an object schema; by default, all properties are required. */
export const object = (
  properties: Record<string, JsonSchema>,
  required = Object.keys(properties),
): JsonSchema => ({ type: "object", required, properties });

/** Allows null with `oneOf`, because some generators do not support lists of types. */
export const orNull = (schema: JsonSchema): JsonSchema => ({ oneOf: [schema, { type: "null" }] });

export const ID: JsonSchema = { type: "string", format: "uuid" };
export const TEXT: JsonSchema = { type: "string" };
export const NUMBER: JsonSchema = { type: "integer", format: "int32" };
export const BOOLEAN: JsonSchema = { type: "boolean" };
