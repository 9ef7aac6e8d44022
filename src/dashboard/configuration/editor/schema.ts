import type { EditorState } from "@codemirror/state";
import { containerOf, type JsonNode, membersOf, segmentOf } from "./json-tree";

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
}

/** Returns the schemas that apply to a value of the document: several if the schema has alternatives. */
export function schemasOf(state: EditorState, root: JsonSchema, value: JsonNode): JsonSchema[] {
  const container = containerOf(value);
  if (container === null) return [root];
  return fitting(
    state,
    value,
    schemasOf(state, root, container).flatMap((schema) => partOf(schema, segmentOf(state, value))),
  );
}

/** Returns the schemas of a member or item that does not exist yet. */
export const schemasOfPart = (
  state: EditorState,
  root: JsonSchema,
  container: JsonNode,
  segment: string | number,
): JsonSchema[] =>
  schemasOf(state, root, container)
    .flatMap((schema) => partOf(schema, segment))
    .flatMap(alternativesOf);

function partOf(schema: JsonSchema, segment: string | number | undefined): JsonSchema[] {
  if (typeof segment === "number") return schema.items ? [schema.items] : [];
  const { properties = {}, additionalProperties: others } = schema;
  if (segment !== undefined && Object.hasOwn(properties, segment)) {
    const property = properties[segment];
    return property ? [property] : [];
  }
  return typeof others === "object" ? [others] : [];
}

/** Returns the alternatives of a schema, each with its description. */
function alternativesOf(schema: JsonSchema): JsonSchema[] {
  const { anyOf, ...rest } = schema;
  return anyOf ? anyOf.map((each) => ({ ...rest, ...each })) : [schema];
}

/** Returns the alternatives whose required members are all present; every alternative if none match. */
function fitting(state: EditorState, value: JsonNode, schemas: readonly JsonSchema[]): JsonSchema[] {
  const all = schemas.flatMap(alternativesOf);
  if (all.length < 2 || value.name !== "Object") return all;
  const names = membersOf(state, value);
  const chosen = all.filter(
    ({ required = [] }) => required.length > 0 && required.every((name) => names.has(name)),
  );
  return chosen.length > 0 ? chosen : all;
}

/** Describes the values that a schema allows: "text", "one of contact, conversation". */
export function kindOf(schema: JsonSchema): string {
  if (schema.enum) return `one of ${schema.enum.join(", ")}`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  return KINDS[schema.type ?? ""] ?? schema.type ?? "";
}

const KINDS: Readonly<Record<string, string>> = {
  integer: "whole number",
  boolean: "true or false",
  array: "list",
  string: "text",
};
