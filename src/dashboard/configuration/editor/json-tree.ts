import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";

/** Max time to parse a document when looking up a position (ms). */
const PARSE_MS = 2_000;

/** A node of a JSON syntax tree. */
export type JsonNode = ReturnType<typeof syntaxTree>["topNode"];

type Segment = string | number;

const VALUES = new Set(["Object", "Array", "String", "Number", "True", "False", "Null"]);

const isValue = ({ name }: JsonNode): boolean => VALUES.has(name);

const children = (node: JsonNode): JsonNode[] => {
  const found: JsonNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child);
  return found;
};

const treeOf = (state: EditorState) =>
  ensureSyntaxTree(state, state.doc.length, PARSE_MS) ?? syntaxTree(state);

/** Returns the outermost value of the text; null if there is none. */
export const rootOf = (state: EditorState): JsonNode | null =>
  children(treeOf(state).topNode).find(isValue) ?? null;

/** Returns the offset of the first syntax error; the end of the text if there is none. */
export function firstError(state: EditorState): number {
  let found = state.doc.length;
  treeOf(state).iterate({
    enter: ({ type, from }) => {
      if (type.isError) found = Math.min(found, from);
    },
  });
  return found;
}

/** Returns the node at an offset; at a boundary, the node before it by default, or after it if `side` is 1. */
export const nodeAt = (state: EditorState, offset: number, side: -1 | 1 = -1): JsonNode =>
  treeOf(state).resolveInner(offset, side);

/** Returns the decoded text of a string node. */
export function stringOf(state: EditorState, { from, to }: JsonNode): string {
  const source = state.sliceDoc(from, to);
  try {
    return String(JSON.parse(source));
  } catch {
    return source.replace(/^"|"$/g, "");
  }
}

/** Returns the members of an object, by name. */
export function membersOf(
  state: EditorState,
  object: JsonNode | null | undefined,
): Map<string, { name: JsonNode; value: JsonNode | undefined }> {
  const members = new Map<string, { name: JsonNode; value: JsonNode | undefined }>();
  for (const property of object?.name === "Object" ? children(object) : []) {
    const name = property.name === "Property" ? property.firstChild : null;
    if (name?.name !== "PropertyName") continue;
    members.set(stringOf(state, name), { name, value: children(property).find(isValue) });
  }
  return members;
}

/** Returns the object or list that contains a value or member; null for the outermost value. */
export function containerOf(node: JsonNode): JsonNode | null {
  let parent = node.parent;
  while (parent !== null && parent.name !== "Object" && parent.name !== "Array") parent = parent.parent;
  return parent;
}

/** Returns the name or index of a value in its container. */
export function segmentOf(state: EditorState, value: JsonNode): Segment | undefined {
  const { parent } = value;
  if (parent?.name === "Property" && parent.firstChild) return stringOf(state, parent.firstChild);
  if (parent?.name !== "Array") return undefined;
  return children(parent)
    .filter(isValue)
    .findIndex(({ from }) => from === value.from);
}

/** Returns the segments of a path as the server writes it: `rules[3].when[0]`, `situations["order.shipped"].total`. */
const segmentsOf = (path: string): Segment[] =>
  [...path.matchAll(/\[(?:(\d+)|("(?:[^"\\]|\\.)*"))\]|[^.[\]"]+/g)].map(([name, index, quoted]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? name : (JSON.parse(quoted) as string);
  });

/** A range of the text. */
export interface Range {
  from: number;
  to: number;
}

/**
 * Returns the range to mark for a document part or, if the part is missing, for its innermost existing container.
 * @param position a line and column within the part's text, if it is a string
 */
export function rangeOf(
  state: EditorState,
  path: string,
  position?: { line: number; column: number } | null,
): Range {
  let node = rootOf(state);
  let shown: Range = { from: node?.from ?? 0, to: (node?.from ?? 0) + 1 };
  for (const segment of segmentsOf(path)) {
    const member = membersOf(state, node).get(String(segment));
    if (typeof segment === "number")
      node = node?.name === "Array" ? (children(node).filter(isValue)[segment] ?? null) : null;
    else node = member?.value ?? null;
    if (node === null && member === undefined) return shown;
    // For a value on several lines, marks only its name or, in a list, its first line.
    shown = rangeShown(state, node, member?.name);
  }
  if (node?.name !== "String" || !position) return shown;
  const at = node.from + offsetInLiteral(state.sliceDoc(node.from, node.to), position);
  return { from: at, to: Math.max(at + 1, Math.min(node.to - 1, endOfWord(state, at))) };
}

function rangeShown(state: EditorState, node: JsonNode | null, name: JsonNode | undefined): Range {
  const isLong = node !== null && state.doc.lineAt(node.from).number !== state.doc.lineAt(node.to).number;
  const { from, to } = (isLong ? name : node) ?? node ?? name ?? { from: 0, to: 0 };
  return { from, to: Math.min(to, state.doc.lineAt(from).to) };
}

const endOfWord = (state: EditorState, at: number): number =>
  at + (/^[\w.]+/.exec(state.sliceDoc(at, at + 100))?.[0].length ?? 1);

/** Maps a line and column in the decoded text to an offset in its JSON string literal. */
function offsetInLiteral(literal: string, { line, column }: { line: number; column: number }): number {
  let [atLine, atColumn, offset] = [1, 1, 1];
  for (const [part] of literal.slice(1, -1).matchAll(/\\u[\da-fA-F]{4}|\\.|[\s\S]/g)) {
    if (atLine > line || (atLine === line && atColumn >= column)) break;
    offset += part.length;
    if (part === "\\n") [atLine, atColumn] = [atLine + 1, 1];
    else atColumn += 1;
  }
  return offset;
}
