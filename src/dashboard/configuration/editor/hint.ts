import type { EditorState } from "@codemirror/state";
import type { EditorView, Tooltip } from "@codemirror/view";
import type { JsonSchema } from "../json-schema";
import { containerOf, type JsonNode, nodeAt, stringOf } from "./json-tree";
import { kindOf, schemasOf, schemasOfPart } from "./schema";

/** Describes the member at an offset, based on a JSON Schema. */
export const schemaHint =
  (schema: JsonSchema) =>
  ({ state }: EditorView, offset: number, side: -1 | 1): Tooltip | null => {
    const node = nodeAt(state, offset, side);
    const found = describedAt(state, schema, node);
    if (found === undefined) return null;
    return {
      pos: node.from,
      end: node.to,
      above: true,
      create: () => ({ dom: hintOf(found) }),
    };
  };

function describedAt(state: EditorState, root: JsonSchema, node: JsonNode): JsonSchema | undefined {
  const container = containerOf(node);
  if (container === null) return undefined;
  const schemas =
    node.name === "PropertyName"
      ? schemasOfPart(state, root, container, stringOf(state, node))
      : ["String", "Number", "True", "False"].includes(node.name)
        ? schemasOf(state, root, node)
        : [];
  return schemas.find(({ description }) => description !== undefined);
}

function hintOf(schema: JsonSchema): HTMLElement {
  const dom = document.createElement("div");
  dom.className = "cm-hint";
  for (const [className, text] of [
    ["cm-kind", kindOf(schema)],
    ["", schema.description ?? ""],
  ] as const) {
    if (text === "") continue;
    dom.append(Object.assign(document.createElement("p"), { className, textContent: text }));
  }
  return dom;
}
