import type { EditorState } from "@codemirror/state";
import { alternativesOf, type JsonSchema, partOf } from "../json-schema";
import { containerOf, type JsonNode, membersOf, segmentOf } from "./json-tree";

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
