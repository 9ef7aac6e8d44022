import { GatewayError } from "../../errors";

/** Limits of a document; several times what the dashboard, introspection and generated clients send. */
export const MAX = {
  /** Checked on the length of the text, before it is parsed. */
  characters: 30_000,
  /** Each place that an error names costs a walk over the lines before it. */
  lines: 1_000,
  operations: 20,
  /** Of an operation. */
  variables: 50,
  /** Of a field or directive. */
  arguments: 20,
  directives: 100,
  /** Items of lists and fields of objects that are written into the document. */
  values: 500,
  /** Of fields, fragments, lists and objects in each other. */
  levels: 25,
  /** Of the operation, aliases and fragments counted wherever they stand. */
  "root fields": 50,
  /** The same for all levels and all operations. */
  fields: 500,
  /** Selections of what is selected already: graphql-js compares each with each, and names all that conflict. */
  "repeated fields": 100,
} as const;

/** Max tokens; the parser would follow deep nesting until its stack ends. */
export const MAX_TOKENS = 5_000;

/** Max faults of a document that are named; each costs a walk over the lines of the document. */
export const MAX_FAULTS = 5;

/** Max values in an answer: objects, lists and leaves. */
export const MAX_ANSWER_VALUES = 20_000;

/** Max characters in an answer, names and texts counted at full length: almost five pages of the longest messages. */
export const MAX_ANSWER_CHARACTERS = 5_000_000;

/** Rejects a document that has more than the limit. @throws GatewayError `query_too_complex` */
export function assertAtMost(limit: keyof typeof MAX, has: number): void {
  if (has > MAX[limit]) {
    throw new GatewayError("query_too_complex", `The document has more than ${MAX[limit]} ${limit}.`);
  }
}
