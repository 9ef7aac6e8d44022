/** A position in the source of a condition or template; line and column start at 1. */
export interface Position {
  line: number;
  column: number;
}

/** A problem in part of a configuration document. */
export interface Problem {
  /** Path of the part, such as `rules[3].when[0]`; empty for the whole document. */
  path: string;
  message: string;
  /** Position in the source, if the part is a condition or template. */
  position?: Position;
  /** An unknown name, and the known names among which to find similar ones. */
  unknown?: readonly [name: string, known: Iterable<string>];
}

/** Thrown for a problem in the source of a condition or template. */
export class SourceError extends Error {
  override readonly name = "SourceError";

  constructor(
    message: string,
    readonly position?: Position,
    readonly unknown?: Problem["unknown"],
  ) {
    super(message);
  }
}

/** Returns the line and column at an index of a string. */
export function positionAt(text: string, index: number): Position {
  const before = text.slice(0, index);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: index - lineStart + 1 };
}

/** Formats a path in a document, such as `rules[3].when[0]` or `situations["order.shipped"].total`. */
export const pathOf = (segments: readonly PropertyKey[]): string =>
  segments
    .map((segment, index) => {
      if (typeof segment === "number") return `[${segment}]`;
      const name = String(segment);
      if (!/^[\w-]+$/.test(name)) return `[${JSON.stringify(name)}]`;
      return index === 0 ? name : `.${name}`;
    })
    .join("");

export const problemAt = (
  path: readonly PropertyKey[],
  message: string,
  unknown?: Problem["unknown"],
): Problem => ({ path: pathOf(path), message, ...(unknown && { unknown }) });

/** Splits a path formatted by `pathOf` into its segments. */
export const segmentsOf = (path: string): (string | number)[] =>
  [...path.matchAll(/\[(?:(\d+)|("(?:[^"\\]|\\.)*"))\]|[\w-]+/g)].map(([name, index, quoted]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? name : (JSON.parse(quoted) as string);
  });
