import { type GraphQLEnumType, type GraphQLScalarType, isEnumType } from "graphql";
import { exactDouble } from "../common/exact-double";
import { INT64, isInt64, MUST_BE_INT64 } from "../common/int64";
import type { JsonSchemaRule } from "../common/json-schema";
import { UUID_COLUMN } from "../database/columns";
import { MAX_PROBLEMS } from "../errors";
import { valueServedAs } from "../schema/newer-values";
import { addProblem, type JsonSchema, type JsonType, type Location } from "./json-value";

type Source = Location["source"];

interface Leaf {
  schema: JsonSchema;
  /** @returns the decoded value; undefined if it is invalid */
  read(value: unknown, source: Source): unknown;
  mustBe: string | ((value: unknown, source: Source) => string);
  write?(value: unknown): string;
  /** @returns the value in JSON, which is the GraphQL value by default */
  structure?(value: unknown): unknown;
}

/** Strings that JSON quotes unchanged, without control characters, quotes, backslashes or surrogates. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** Writes the same text as `JSON.stringify`, but is faster for plain strings, which are the most common. */
const writeLeaf = (value: unknown): string =>
  typeof value === "string" && PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);

const writePlain = (value: unknown): string => `"${value}"`;

/** Returns a value unchanged; in GraphQL results, an int64 is already a string of digits. */
const asIs = (value: unknown) => value;

const isString = (value: unknown) => (typeof value === "string" ? value : undefined);

const INT: Leaf = {
  schema: { type: "integer", format: "int32" },
  read(value, source) {
    const text = integerText(value, source);
    const number = Number(text);
    return isInt64(text) && number === (number | 0) ? number : undefined;
  },
  mustBe: "must be a 32-bit integer",
};

const INT64_LEAF: Leaf = {
  schema: { type: "integer", format: "int64" },
  read(value, source) {
    const text = source === "argument" && typeof value === "string" ? value : integerText(value, source);
    return isInt64(text) ? text : undefined;
  },
  mustBe: int64Problem,
  // GraphQL returns a string of digits; JSON.stringify would quote it and Number would round it.
  write: (value) => value as string,
};

const FLOAT: Leaf = {
  schema: { type: "number", format: "double" },
  read(value, source) {
    const isNumber =
      source !== "text"
        ? typeof value === "number" || typeof value === "bigint"
        : typeof value === "string" && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(value);
    const number = isNumber ? Number(value) : Number.NaN;
    return Number.isFinite(number) ? number : undefined;
  },
  mustBe: "must be a number",
};

const BOOLEAN: Leaf = {
  schema: { type: "boolean" },
  read(value, source) {
    if (source !== "text") return typeof value === "boolean" ? value : undefined;
    return value === "true" || value === "false" ? value === "true" : undefined;
  },
  mustBe: "must be true or false",
};

const STRING: Leaf = { schema: { type: "string" }, read: isString, mustBe: "must be a string" };

const UUID: Leaf = { ...STRING, schema: { type: "string", format: "uuid" }, write: writePlain };

const LEAVES: Readonly<Record<string, Leaf>> = {
  Int: INT,
  Float: FLOAT,
  Boolean: BOOLEAN,
  String: STRING,
  // An `ID` is a UUID unless its field declares an int64.
  ID: { ...STRING, schema: { type: "string", maxLength: UUID_COLUMN.length } },
};

/** @throws Error for an unknown scalar */
export function leafType(type: GraphQLEnumType | GraphQLScalarType, rule: JsonSchemaRule): JsonType {
  if (!isEnumType(type) && (type.name === "JSON" || type.name === "JSONObject")) return jsonType(type.name);
  const leaf = leafOf(type, rule);
  const { mustBe } = leaf;
  return {
    schema: { ...leaf.schema, ...rule },
    decode(value, location) {
      if (Array.isArray(value)) {
        return addProblem(
          location,
          location.source === "text" ? "must be given only once" : "must not be a list",
        );
      }
      const decoded = leaf.read(value, location.source);
      if (decoded !== undefined) return decoded;
      return addProblem(location, typeof mustBe === "string" ? mustBe : mustBe(value, location.source));
    },
    write: leaf.write ?? writeLeaf,
    structure: leaf.structure ?? asIs,
  };
}

function leafOf(type: GraphQLEnumType | GraphQLScalarType, { format }: JsonSchemaRule): Leaf {
  if (isEnumType(type)) return isOfTexts(type) ? textEnumLeaf(type) : enumLeaf(type);
  if (type.name === "DateTimeISO") return dateTimeLeaf(type);
  if (format === "int64") return INT64_LEAF;
  if (format === "uuid") return UUID;
  const leaf = LEAVES[type.name];
  if (leaf === undefined) throw new Error(`REST cannot represent the type ${type.name}`);
  return leaf;
}

function enumLeaf(type: GraphQLEnumType): Leaf {
  const names = type.getValues().map(({ name }) => name);
  return {
    schema: { type: "string", enum: names },
    read: (value) => (typeof value === "string" && names.includes(value) ? value : undefined),
    mustBe: `must be one of ${names.join(", ")}`,
    write: writePlain,
  };
}

/** True if an enum's values, such as `message.delivered`, are not GraphQL names; in REST, they are strings. */
export const isOfTexts = (type: GraphQLEnumType): boolean =>
  type.getValues().some(({ name, value }) => name !== value);

/** Max length of an enum value as text, in this version and later ones. */
const TEXT_MAX_LENGTH = 100;

/** Returns a leaf whose schema does not list the enum's values, because clients must expect new ones. */
function textEnumLeaf(type: GraphQLEnumType): Leaf {
  const names = new Map(type.getValues().map(({ name, value }) => [value, name]));
  // Items of a stream contain the values of the enum, but GraphQL results contain their names.
  const structure = (value: unknown) => valueServedAs(type, String(value)) ?? value;
  return {
    schema: { type: "string", maxLength: TEXT_MAX_LENGTH },
    read: (value) => names.get(value),
    mustBe: `must be one of ${[...names.keys()].join(", ")}`,
    write: (value) => writePlain(structure(value)),
    structure,
  };
}

function dateTimeLeaf(type: GraphQLScalarType): Leaf {
  return {
    schema: { type: "string", format: "date-time" },
    read(value) {
      if (typeof value !== "string") return undefined;
      try {
        type.parseValue(value);
        return value;
      } catch {
        return undefined;
      }
    },
    mustBe: "must be a date and time such as 2026-11-21T06:36:32.978Z (RFC 3339)",
    write: writePlain,
  };
}

/** Returns the representation of any JSON value, or of any JSON object. */
function jsonType(name: "JSON" | "JSONObject"): JsonType {
  return {
    schema: name === "JSON" ? {} : { type: "object", additionalProperties: true },
    decode(value, location) {
      if (location.source === "text") throw new Error("A URL cannot carry a JSON value.");
      if (name === "JSONObject" && (typeof value !== "object" || Array.isArray(value))) {
        return addProblem(location, "must be an object");
      }
      return decodeJson(value, location);
    },
    write: JSON.stringify,
    structure: asIs,
  };
}

/** Converts bigints to doubles if no precision is lost; `parseJson` has limited the depth. */
function decodeJson(value: unknown, location: Location): unknown {
  if (typeof value === "bigint") {
    return (
      exactDouble(value) ??
      addProblem(location, "must not contain an integer that JSON parsers would round (send it as a string)")
    );
  }
  if (typeof value !== "object" || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    if (location.problems.length >= MAX_PROBLEMS) break;
    members[name] = decodeJson(members[name], location);
  }
  return value;
}

/** Returns the decimal digits of an integer from JSON or a URL. */
function integerText(value: unknown, source: Source): unknown {
  if (source === "text") return value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : undefined;
}

function int64Problem(value: unknown, source: Source): string {
  if (source === "json" && typeof value === "string") {
    return `${MUST_BE_INT64}, sent as a JSON number: leave out the quotes`;
  }
  if (typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value))) {
    return (
      `${MUST_BE_INT64}, from ${INT64.min} to ${INT64.max}. JavaScript rounds integers beyond 2^53, ` +
      "so write them with a lossless JSON library"
    );
  }
  return MUST_BE_INT64;
}
