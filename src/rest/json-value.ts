import type { InputProblem } from "../errors";

/** A JSON Schema (2020-12), as OpenAPI 3.1 takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Where a value of a request stands. */
export interface Place {
  /** Names joined by dots; empty for the body as a whole. */
  path: string;
  /** A JSON body has types; in a URL everything is text. */
  source: "json" | "text";
  /** Collects what is wrong, over the whole request. */
  problems: InputProblem[];
}

/**
 * How REST carries the values of a GraphQL type. All three parts agree: `decode` takes what `schema` describes, and
 * `write` writes it. Values are never null here: lists and objects decide where null may stand.
 */
export interface JsonType {
  schema: JsonSchema;
  /** @returns the GraphQL variable of the same meaning; undefined after a problem was added */
  decode(value: unknown, place: Place): unknown;
  /** @returns the JSON text of a value that GraphQL answered */
  write(value: unknown): string;
}

/** Adds a problem. */
export const refuse = ({ path, problems }: Place, message: string): undefined => {
  problems.push({ path: path || "body", message });
};

/** The place of a member or an item. */
export const below = (place: Place, name: string | number): Place => ({
  ...place,
  path: place.path ? `${place.path}.${name}` : String(name),
});
