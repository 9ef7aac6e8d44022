import { GatewayError } from "../../errors";

/** Document limits, several times higher than the dashboard, introspection and generated clients need. */
export const MAX = {
  /** Length of the document, checked before it is parsed. */
  characters: 30_000,
  /** Lines of the document: computing the location of an error takes a walk over all preceding lines. */
  lines: 1_000,
  operations: 20,
  /** Variables of an operation. */
  variables: 50,
  /** Arguments of a field or directive. */
  arguments: 20,
  directives: 100,
  /** Items of lists and fields of objects in the document. */
  values: 500,
  /** Nesting depth of fields, fragments, lists and objects. */
  levels: 25,
  /** Root fields of an operation, including aliases and expanded fragments. */
  "root fields": 50,
  /** Fields that may read many rows, counted for each object that has them; includes aliases and expanded fragments. */
  reports: 10,
  /** Items of lists that are nested in items of other lists. */
  "items of nested lists": 5_000,
  /** Selected fields that can fail, counted for each list item, because an error costs as much as ten values. */
  "related objects and lists": 1_000,
  /** Fields at all levels of all operations, including aliases and expanded fragments. */
  fields: 500,
  /** Fields of a subscription, counted like `fields`; the limit is lower because they are executed for each event. */
  "subscription fields": 50,
  /** Repeated selections of a response name; graphql-js compares all pairs and reports each conflict. */
  "repeated fields": 100,
} as const;

/** Max tokens of a document; without a limit, deep nesting would overflow the stack of the recursive parser. */
export const MAX_TOKENS = 5_000;

/** Max validation errors in a response; each costs a walk over the lines of the document. */
export const MAX_FAULTS = 5;

/** Max values in a response: objects, lists and leaves. */
export const MAX_RESPONSE_VALUES = 20_000;

/** Max characters in a response, with all strings at max length: almost five pages of the longest messages. */
export const MAX_RESPONSE_CHARACTERS = 5_000_000;

/** Max characters of the objects read, at max length: 5,000 messages or four pages of 100 decisions. */
export const MAX_READ_CHARACTERS = 400_000_000;

/** @throws GatewayError `query_too_complex` */
export function assertAtMost(limit: keyof typeof MAX, has: number): void {
  if (has > MAX[limit]) {
    throw new GatewayError("query_too_complex", `The document has more than ${MAX[limit]} ${limit}.`);
  }
}
