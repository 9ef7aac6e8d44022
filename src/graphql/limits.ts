import { GatewayError } from "../errors";

/** What a document may have; several times what the dashboard, introspection and generated clients send. */
export const MOST = {
  /** Told by the length of the text, before anything looks at it. */
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

/** Most tokens; the parser would follow deep nesting until its stack ends. */
export const MOST_TOKENS = 5_000;

/** Most faults of a document that are told; each costs a walk over the lines of the document. */
export const MOST_FAULTS = 5;

/** Most values that an answer may hold: objects, lists and leaves. */
export const MOST_VALUES = 20_000;

/** Refuses a document that has more than it may. @throws GatewayError `query_too_complex` */
export function within(limit: keyof typeof MOST, has: number): void {
  if (has > MOST[limit]) {
    throw new GatewayError("query_too_complex", `The document has more than ${MOST[limit]} ${limit}.`);
  }
}
