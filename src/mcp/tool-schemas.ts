import { IDEMPOTENCY_KEY_MAX_LENGTH } from "../idempotency/idempotency";
import { IDEMPOTENCY_FIELD, memberSchema } from "../rest/json-types";
import type { JsonSchema } from "../rest/json-value";
import type { RoutePlan } from "../rest/plan";

/** A JSON Schema of an object, as MCP requires it of tools. */
export interface ObjectSchema extends JsonSchema {
  type: "object";
  properties: Record<string, JsonSchema>;
  required: string[];
}

const DIGITS = { type: "string", pattern: "^-?[0-9]+$" };

/** Models and clients round large numbers, so that arguments may be text. */
const INT64_ARGUMENT = { anyOf: [{ type: "integer" }, DIGITS] };

const IDEMPOTENCY_KEY = {
  type: "string",
  minLength: 1,
  maxLength: IDEMPOTENCY_KEY_MAX_LENGTH,
  description:
    "Makes retries safe: repeating the key and arguments within 24 hours returns the first answer.",
};

const objectSchema = (properties: Record<string, JsonSchema>, required: string[]): ObjectSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/**
 * Describes the arguments of a route's tool: its parameters, the members of its body and its idempotency key.
 * @throws Error when two of them have the same name
 */
export function inputSchemaOf({ path, query, body, idempotencyKey }: RoutePlan): ObjectSchema {
  const parameters = [...path, ...query];
  const { properties = {}, required = [] } = (body?.json.schema ?? {}) as Partial<ObjectSchema>;
  const entries = [
    ...parameters.map((member) => [member.name, memberSchema(member)] as const),
    ...Object.entries(properties),
    ...(idempotencyKey ? [[IDEMPOTENCY_FIELD, IDEMPOTENCY_KEY] as const] : []),
  ];
  const names = entries.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new Error(`its tool has two arguments with the name ${twice}`);
  const schema = objectSchema(Object.fromEntries(entries), [
    ...parameters.filter((each) => each.required).map(({ name }) => name),
    ...required,
    ...(idempotencyKey?.required ? [IDEMPOTENCY_FIELD] : []),
  ]);
  return withInt64(schema, INT64_ARGUMENT) as ObjectSchema;
}

/** Describes what `structuredContent` of a route's tool has; undefined for a route that answers nothing. */
export function outputSchemaOf({ route, result }: RoutePlan): ObjectSchema | undefined {
  if (result === undefined) return undefined;
  const { schema } = result;
  const output =
    schema.type === "array"
      ? objectSchema({ items: schema, ...(route.pageInfo && { nextCursor: { type: "string" } }) }, ["items"])
      : schema;
  return withInt64(output, DIGITS) as ObjectSchema;
}

/** Replaces the schemas of int64, and drops the formats of OpenAPI, which JSON Schema does not know. */
function withInt64(schema: unknown, int64: JsonSchema): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withInt64(each, int64));
  if (typeof schema !== "object" || schema === null) return schema;
  const { type, format, ...others } = schema as JsonSchema;
  const rest = Object.fromEntries(
    Object.entries(others).map(([name, value]) => [name, withInt64(value, int64)]),
  );
  if (format === "int64") return { ...rest, ...int64 };
  return {
    ...(type !== undefined && { type: withInt64(type, int64) }),
    ...(format !== undefined &&
      format !== "int32" &&
      format !== "double" && { format: withInt64(format, int64) }),
    ...rest,
  };
}
