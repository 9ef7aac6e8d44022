/** The subset of JSON Schema that the server's schemas use. */
export interface JsonSchema {
  type?: string;
  description?: string;
  properties?: Readonly<Record<string, JsonSchema>>;
  additionalProperties?: boolean | JsonSchema;
  required?: readonly string[];
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  enum?: readonly unknown[];
  const?: unknown;
  pattern?: string;
  maxLength?: number;
  propertyNames?: JsonSchema;
  /** The kind of name that a string holds, such as `template-name`; taken from the `$ref` in the server's schema. */
  names?: string;
}

/** Replaces each `$ref` in the server's schema with its definition, and stores the definition's name in `names`. */
export function withDefinitions({ $defs = {}, ...schema }: JsonSchema & { $defs?: object }): JsonSchema {
  const resolved = (part: unknown): unknown => {
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map(resolved);
    const members = Object.fromEntries(Object.entries(part).map(([name, each]) => [name, resolved(each)]));
    if (typeof members.$ref !== "string") return members;
    const { $ref, ...rest } = members;
    const names = $ref.replace("#/$defs/", "");
    return { ...($defs as Record<string, object>)[names], ...rest, names };
  };
  return resolved(schema) as JsonSchema;
}

/** Returns the schema of an object's member or a list's item; empty if there is none. */
export function partOf(schema: JsonSchema, segment: string | number | undefined): JsonSchema[] {
  if (typeof segment === "number") return schema.items ? [schema.items] : [];
  const { properties = {}, additionalProperties: others } = schema;
  if (segment !== undefined && Object.hasOwn(properties, segment)) {
    const property = properties[segment];
    return property ? [property] : [];
  }
  return typeof others === "object" ? [others] : [];
}

/** Returns the alternatives of a schema, each with the keywords that they share. */
export function alternativesOf(schema: JsonSchema): JsonSchema[] {
  const { anyOf, ...rest } = schema;
  return anyOf ? anyOf.map((each) => ({ ...rest, ...each })) : [schema];
}
