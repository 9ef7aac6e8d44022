import { parse } from "lossless-json";
import { StartupError } from "../errors";
import { TESTED_DOCUMENT_MAX_BYTES } from "../features/configuration/configuration.limits";
import {
  type Position,
  type Problem,
  positionAt,
  segmentsOf,
} from "../features/configuration/document/problem";
import { print } from "./output";
import { nameOf, readText } from "./text-file";

/** Max length of the source line shown below a problem (UTF-16 code units). */
const SHOWN_MAX_LENGTH = 100;

/** Max size of a file (bytes), with room for generous whitespace. */
const FILE_MAX_BYTES = 4 * TESTED_DOCUMENT_MAX_BYTES;

/** @throws StartupError if the file cannot be read or is no JSON object; syntax errors have a line and column */
export async function readDocument(file: string): Promise<Record<string, unknown>> {
  const name = nameOf(file);
  const text = await readText(file, FILE_MAX_BYTES);
  try {
    // JSON.parse does not always report a position, and it accepts duplicate members.
    parse(text);
  } catch (error) {
    if (error instanceof RangeError) throw new StartupError(`${name}: the document is nested too deeply`);
    if (!(error instanceof SyntaxError)) throw error;
    const [, what = error.message, index] = /^(.*?)(?: at position (\d+))?$/s.exec(error.message) ?? [];
    const { line, column } = positionAt(text, index === undefined ? text.length : Number(index));
    throw new StartupError(`${name}:${line}:${column}: ${what}`);
  }
  const value: unknown = JSON.parse(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new StartupError(`${name}: the document must be an object`);
}

/** Prints a problem, with its position in the condition or template; `kind` is `warning: ` or empty. */
export function printProblem(
  file: string,
  document: Record<string, unknown>,
  { path, message, position }: Problem,
  kind = "",
): void {
  print(`${nameOf(file)}:${path && `${path}:`} ${kind}${message}`);
  const source = segmentsOf(path).reduce<unknown>(
    (value, segment) => (value as Record<PropertyKey, unknown> | undefined)?.[segment],
    document,
  );
  if (position && typeof source === "string") print(pointed(source, position));
}

/** Returns the part of a source line around a position, with a caret below that position. */
function pointed(source: string, { line, column }: Position): string {
  const text = source.split("\n")[line - 1] ?? "";
  const start = Math.max(0, column - 1 - SHOWN_MAX_LENGTH / 2);
  // Tabs become spaces, so that the caret is below the right character.
  const shown = text.slice(start, start + SHOWN_MAX_LENGTH).replace(/\s/g, " ");
  return `    ${shown}\n    ${" ".repeat(column - 1 - start)}^`;
}
