import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
  startCompletion,
} from "@codemirror/autocomplete";
import type { EditorState } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { JsonSchema } from "../json-schema";
import { containerOf, type JsonNode, membersOf, nodeAt, rootOf, stringOf } from "./json-tree";
import { kindOf, schemasOf, schemasOfPart } from "./schema";

/** Names that values can refer to, such as template names, keyed by the member that holds the value. */
export type KnownNames = (
  document: (part: string) => string[],
) => Readonly<Record<string, readonly string[]>>;

/** The position in the document where a completion applies. */
interface Place {
  container: JsonNode;
  /** The range that the completion replaces. */
  from: number;
  to: number;
  /** The name or index of the value; undefined when completing a name. */
  segment?: string | number;
}

/** Completes member names and values, based on a JSON Schema. */
export const schemaCompletion =
  (schema: JsonSchema, known: KnownNames): CompletionSource =>
  (context) => {
    const place = placeAt(context);
    if (place === undefined) return null;
    const { state } = context;
    const options =
      place.segment === undefined
        ? nameOptions(state, schema, place)
        : valueOptions(state, schema, place, place.segment, known);
    return resultOf(state, place, options);
  };

function resultOf(state: EditorState, place: Place, options: Completion[]): CompletionResult | null {
  if (options.length === 0) return null;
  const isQuoted = state.sliceDoc(place.from, place.from + 1) === '"';
  return {
    from: place.from + (isQuoted ? 1 : 0),
    options: options.map((option) => ({
      ...option,
      apply: (view: EditorView) =>
        insert(view, { ...place, to: Math.max(place.to, view.state.selection.main.head) }, option),
    })),
    validFor: /^[^"\n,:{}[\]]*$/,
  };
}

function placeAt({ state, pos, explicit }: CompletionContext): Place | undefined {
  const node = nodeAt(state, pos);
  if (node.name === "PropertyName" || node.name === "String") {
    const container = containerOf(node);
    const inside = pos > node.from && (pos < node.to || state.sliceDoc(node.to - 1, node.to) !== '"');
    if (!inside || container === null) return undefined;
    const place = { container, from: node.from, to: node.to };
    if (node.name === "PropertyName") return place;
    if (container.name === "Array") return { ...place, segment: 0 };
    const name = node.parent?.name === "Property" ? node.parent.firstChild : null;
    return name ? { ...place, segment: stringOf(state, name) } : place;
  }
  const from = pos - (/[\w$*-]*$/.exec(state.sliceDoc(Math.max(0, pos - 100), pos))?.[0].length ?? 0);
  // Without a typed word, completions are offered only on request.
  if (from === pos && !explicit) return undefined;
  const before = state.sliceDoc(Math.max(0, from - 2_000), from).trimEnd();
  let container: JsonNode | null = nodeAt(state, from);
  if (container.name !== "Object" && container.name !== "Array") container = containerOf(container);
  if (container === null) return undefined;
  const place = { container, from, to: pos };
  if (before.endsWith(":")) {
    const name = /"((?:[^"\\]|\\.)*)"\s*:$/.exec(before)?.[1];
    return name === undefined ? undefined : { ...place, segment: name };
  }
  if (!/[{[,]$/.test(before)) return undefined;
  return container.name === "Array" ? { ...place, segment: 0 } : place;
}

/** A completion with the text that it inserts. */
interface Inserted extends Completion {
  /** JSON; `|` marks the cursor. */
  json: string;
  /** True to open the value's completions after inserting the text. */
  isContinued?: boolean;
}

function nameOptions(state: EditorState, root: JsonSchema, { container, from }: Place): Inserted[] {
  const members = membersOf(state, container);
  const schemas = schemasOf(state, root, container);
  const options = new Map<string, Inserted>();
  for (const { properties = {}, required = [] } of schemas) {
    for (const [name, schema] of Object.entries(properties)) {
      const isTyped = members.get(name)?.name.from === from;
      // While several alternatives fit, offer only their required members, which distinguish them.
      const isChoice = schemas.length > 1 && !required.includes(name);
      if ((members.has(name) && !isTyped) || isChoice || options.has(name)) continue;
      options.set(name, {
        label: name,
        type: "property",
        detail: kindOf(schema),
        info: schema.description ?? "",
        json: `${JSON.stringify(name)}: ${blankOf(schema)}`,
        isContinued: true,
      });
    }
  }
  return [...options.values()];
}

/** Returns an empty value that matches a schema, with the cursor inside. */
function blankOf({ type, const: only }: JsonSchema): string {
  if (only !== undefined) return `${JSON.stringify(only)}|`;
  return { object: "{|}", array: "[|]", string: '"|"' }[type ?? ""] ?? "|";
}

function valueOptions(
  state: EditorState,
  root: JsonSchema,
  { container }: Place,
  segment: string | number,
  known: KnownNames,
): Inserted[] {
  const schemas = schemasOfPart(state, root, container, segment);
  const top = membersOf(state, rootOf(state));
  const names = known((part) => [...membersOf(state, top.get(part)?.value).keys()])[segment] ?? [];
  const isText = schemas.some(({ type }) => type === "string");
  const values = schemas.flatMap((schema): Inserted[] => {
    const { description: info = "" } = schema;
    if (schema.properties) {
      // Suggesting an object would interrupt a user who is typing text.
      if (isText) return [];
      const name = schema.required?.[0];
      const first = name === undefined ? undefined : schema.properties[name];
      if (name === undefined || first === undefined || schema.required?.length !== 1) return [];
      const json = `{ ${JSON.stringify(name)}: ${blankOf(first)} }`;
      return [{ label: name, type: "class", info: first.description ?? "", json, isContinued: true }];
    }
    const given = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
    const all = given.length === 0 && schema.type === "boolean" ? [true, false] : given;
    return all.map((value) => ({ label: String(value), type: "enum", info, json: JSON.stringify(value) }));
  });
  const references = isText
    ? names.map((name) => ({ label: name, type: "variable", json: JSON.stringify(name) }))
    : [];
  return [...new Map([...references, ...values].map((option) => [option.label, option])).values()];
}

function insert(view: EditorView, { from, to }: Place, option: Completion): void {
  const { json, isContinued } = option as Inserted;
  const after = view.state.sliceDoc(to, to + 200);
  const hasValue = /^\s*:/.test(after);
  // If the member already has a value, only its name is replaced.
  const text = hasValue ? (/^"(?:[^"\\]|\\.)*"/.exec(json)?.[0] ?? json) : json;
  const cursor = text.indexOf("|");
  const comma = !hasValue && /^\s*["{[\dtfn]/.test(after) ? "," : "";
  const inserted = text.replace("|", "") + comma;
  view.dispatch({
    changes: { from, to, insert: inserted },
    selection: { anchor: from + (cursor === -1 ? inserted.length : cursor) },
    userEvent: "input.complete",
    scrollIntoView: true,
  });
  if (isContinued && !hasValue) startCompletion(view);
}
