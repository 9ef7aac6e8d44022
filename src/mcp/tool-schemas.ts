import { IDEMPOTENCY_FIELD, memberSchema } from "../rest/json-types";
import type { JsonSchema } from "../rest/json-value";
import type { RoutePlan } from "../rest/plan";

/** A JSON Schema of an object, as MCP requires for tools. */
export interface ObjectSchema extends JsonSchema {
  type: "object";
  properties: Record<string, JsonSchema>;
  required?: string[];
}

const DIGITS = { type: "string", pattern: "^-?[0-9]+$" };

/** Accepts digits in a string, because models and clients round large numbers. */
const INT64_ARGUMENT = { anyOf: [{ type: "integer" }, DIGITS] };

const IDEMPOTENCY_KEY = {
  type: "string",
  description: "Makes retries safe for 24 hours.",
};

/**
 * Describes the arguments of a route's tool: its parameters, the members of its body that models may pass, and its
 * idempotency key. Models read the schemas of all tools before their first call, so the schemas omit details that an
 * error message can explain, such as patterns.
 * @throws Error if two arguments have the same name
 */
export function inputSchemaOf({ path, query, body, idempotencyKey }: RoutePlan): ObjectSchema {
  const parameters = [...path, ...query];
  const { properties = {}, required = [] } = (body?.json.schema ?? {}) as Partial<ObjectSchema>;
  const entries = [
    ...parameters.map((member) => [member.name, withoutKnown(member.name, memberSchema(member))] as const),
    ...Object.entries(properties).filter(([name]) => body?.json.forModels?.has(name)),
    ...(idempotencyKey ? [[IDEMPOTENCY_FIELD, IDEMPOTENCY_KEY] as const] : []),
  ];
  const names = entries.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new Error(`its tool has two arguments with the name ${twice}`);
  const requiredNames = [
    ...parameters.filter((each) => each.required).map(({ name }) => name),
    ...required,
    ...(idempotencyKey?.required ? [IDEMPOTENCY_FIELD] : []),
  ];
  const schema = { type: "object", properties: Object.fromEntries(entries), required: requiredNames };
  return compacted(schema) as ObjectSchema;
}

/** Describes the `structuredContent` of lists; models see the data of other tools in the text. */
export const outputSchemaOf = ({ result }: RoutePlan): JsonSchema | undefined =>
  result?.schema.type === "array"
    ? { type: "object", properties: { items: { type: "array" } }, required: ["items"] }
    : undefined;

/** Omits descriptions of `cursor`, which the server's instructions explain, and of numbers with limits. */
const withoutKnown = (name: string, { description, ...schema }: JsonSchema): JsonSchema =>
  name === "cursor" || (schema.minimum !== undefined && schema.maximum !== undefined)
    ? schema
    : { ...schema, description };

/** Min length of a description to include; shorter descriptions say little more than the name. */
const MIN_DESCRIPTION_LENGTH = 30;

/** Shortens a schema. Only patterns, text lengths, number formats and extra nested members are no longer checked. */
export function compacted({ pattern: _, minLength: __, maxLength: ___, ...schema }: JsonSchema): JsonSchema {
  const { format, additionalProperties, required, properties, items, oneOf, description, ...others } = schema;
  const isTelling = typeof description === "string" && description.length >= MIN_DESCRIPTION_LENGTH;
  const parts = {
    ...others,
    ...(isTelling && { description }),
    ...((required as string[] | undefined)?.length && { required }),
    ...(additionalProperties === true && { additionalProperties }),
    ...(properties !== undefined && { properties: eachCompacted(properties as ObjectSchema["properties"]) }),
    ...(items !== undefined && { items: compacted(items as JsonSchema) }),
  };
  if (format === "int64") return { ...parts, type: undefined, ...INT64_ARGUMENT };
  if (oneOf !== undefined) {
    const flat = flattened(oneOf as JsonSchema[]);
    const texts = [parts.description, flat.description].filter((text) => text !== undefined);
    return { ...parts, ...flat, ...(texts.length > 0 && { description: texts.join(" ") }) };
  }
  return { ...parts, ...(format !== undefined && !NUMBERS.has(format) && { format }) };
}

/** Merges alternative objects, which few models handle, and drops null, which is the same as omission. */
function flattened(alternatives: readonly JsonSchema[]): JsonSchema {
  const [first = {}, ...others] = alternatives.filter(({ type }) => type !== "null");
  if (others.length === 0) return compacted(first);
  const properties = Object.assign({}, ...[first, ...others].map((each) => each.properties));
  return { ...compacted({ ...first, properties, required: [] }), description: "Pass exactly one member." };
}

const eachCompacted = (properties: ObjectSchema["properties"]): ObjectSchema["properties"] =>
  Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, compacted(each)]));

/** OpenAPI formats that JSON Schema does not define. */
const NUMBERS: ReadonlySet<unknown> = new Set(["int32", "double"]);
