import type { InputProblem, InvalidInput } from "../errors";

/** A JSON Schema (2020-12), as used by OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The location of a value in a request. */
export interface Location {
  /** Names joined by dots; empty for the whole body. */
  path: string;
  /** `json`: a typed body; `text`: the URL or a header; `argument`: an MCP tool's JSON, with int64 as text or not. */
  source: "json" | "text" | "argument";
  /** Collects the problems of the whole request. */
  problems: InputProblem[];
  /** Collects the problems of each item in an `@ItemsApart` list, by index; undefined to reject the whole request. */
  malformed?: Map<number, InvalidInput> | undefined;
}

/**
 * The REST representation of a GraphQL type: `schema` describes the values that `decode` accepts and `write` produces.
 * Lists and objects handle null, so these values are never null.
 */
export interface JsonType {
  schema: JsonSchema;
  /** Names of an object's members that models may pass; undefined for other types. */
  forModels?: ReadonlySet<string>;
  /** @returns the value for a GraphQL variable; undefined after adding a problem */
  decode(value: unknown, location: Location): unknown;
  /** @returns the JSON text of a value from a GraphQL result */
  write(value: unknown): string;
  /** @returns the value whose JSON is the output of `write`, with int64 as text */
  structure(value: unknown): unknown;
}

export const addProblem = ({ path, problems }: Location, message: string): undefined => {
  problems.push({ path: path || "body", message });
};

/** Returns the location of a member or an item. */
export const below = (location: Location, name: string | number): Location => ({
  ...location,
  path: location.path ? `${location.path}.${name}` : String(name),
});
