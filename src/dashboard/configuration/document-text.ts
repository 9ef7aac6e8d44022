/** A JSON object. */
export type Json = Record<string, unknown>;

/** A syntax error in JSON. */
export interface SyntaxProblem {
  message: string;
  /** Position in the text, if the browser reports it. */
  offset?: number | undefined;
}

/** Max length of a line that contains a whole list or object. */
const LINE_LENGTH = 100;

/**
 * Formats a document with each value of its top two levels, such as a rule, on a new line. Deeper lists and objects
 * stay on one line if they fit.
 */
export function textOf(value: unknown, indent = "", before = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const parts = partsOf(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return open + close;
  const line = indent.length < 4 ? undefined : lineOf(value);
  if (line !== undefined && indent.length + before + line.length <= LINE_LENGTH) return line;
  const inner = `${indent}  `;
  const lines = parts.map(([name, part]) => `${inner}${name}${textOf(part, inner, name.length)}`);
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

const lineOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const parts = partsOf(value).map(([name, part]) => name + lineOf(part));
  if (parts.length === 0) return Array.isArray(value) ? "[]" : "{}";
  return Array.isArray(value) ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`;
};

const partsOf = (value: object): [name: string, part: unknown][] =>
  Array.isArray(value)
    ? value.map((part) => ["", part])
    : Object.entries(value).map(([name, part]) => [`${JSON.stringify(name)}: `, part]);

/** Returns the document size that the server limits (bytes), which excludes spaces and line breaks between values. */
export const sizeOf = (document: Json): number => new TextEncoder().encode(JSON.stringify(document)).length;

/** Parses text as a JSON object, or returns its first error. */
export function parseText(text: string): { document: Json } | { problem: SyntaxProblem } {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    return { problem: syntaxProblem(text, String((error as Error).message)) };
  }
  if (typeof document !== "object" || document === null || Array.isArray(document))
    return { problem: { message: "Enter a JSON object: { … }.", offset: 0 } };
  const problem = repeatedMember(text) ?? roundedNumber(text);
  return problem === undefined ? { document: document as Json } : { problem };
}

/** Extracts an error's position from the browser's message; the wording differs, and some browsers omit it. */
function syntaxProblem(text: string, message: string): SyntaxProblem {
  const sentence = message
    .replace(/^JSON\.parse: |^JSON Parse error: /, "")
    .replace(/,? ?(?:\.\.\.)?".*" is not valid JSON$/s, "")
    .replace(/ (?:in JSON )?at (?:position|line) .*$/s, "");
  const position = /position (\d+)/.exec(message)?.[1];
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
  const offset =
    position === undefined ? line && startOfLine(text, Number(line)) + Number(column) - 1 : Number(position);
  return {
    message: `Not valid JSON${sentence === "" ? "" : `: ${sentence}`}.`,
    offset: typeof offset === "number" ? offset : undefined,
  };
}

const startOfLine = (text: string, line: number): number =>
  text
    .split("\n")
    .slice(0, line - 1)
    .join("\n").length + (line > 1 ? 1 : 0);

/** Returns the line and column of an offset, both starting at 1. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/** Finds a duplicate member in a JSON object, because JSON.parse silently keeps only the last one. */
function repeatedMember(text: string): SyntaxProblem | undefined {
  const objects: Set<string>[] = [];
  for (const { 0: token, 1: colon, index } of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}]/g)) {
    if (token === "{") objects.push(new Set());
    else if (token === "}") objects.pop();
    else if (colon !== undefined) {
      const name = JSON.parse(token.slice(0, -colon.length)) as string;
      const names = objects.at(-1);
      if (names?.has(name)) return { message: `“${name}” appears twice in the same object.`, offset: index };
      names?.add(name);
    }
  }
  return undefined;
}

/** Finds a number that JSON.parse would change, such as a long ID. */
function roundedNumber(text: string): SyntaxProblem | undefined {
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g)) {
    const value = Number(token);
    const isExact = Number.isFinite(value) && (!/^-?\d+$/.test(token) || BigInt(token) === BigInt(value));
    if (!token.startsWith('"') && !isExact)
      return { message: `${token} would be rounded. Write it as text, in quotes.`, offset: index };
  }
  return undefined;
}
