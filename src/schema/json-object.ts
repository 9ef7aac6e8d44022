import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from "graphql";
import { Checked } from "../common/checked";
import { exactDouble } from "../common/exact-double";
import { jsonProblem } from "../common/json-problem";
import { JSON_STANDARD } from "./json";

type JsonObject = Record<string, unknown>;

const asObject = (value: unknown): JsonObject => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new GraphQLError("The value must be a JSON object.");
  return value as JsonObject;
};

/** Any JSON object. Rejects integers that a double would round. */
export const GraphQLJsonObject = new GraphQLScalarType<JsonObject, JsonObject>({
  name: "JSONObject",
  description: "A JSON object. Integers that JSON parsers would round must be sent as strings.",
  specifiedByURL: JSON_STANDARD,
  serialize: asObject,
  parseValue: (value) => asObject(exact(value)),
  parseLiteral: (node, variables) => asObject(exact(literal(node, variables))),
});

/** Converts bigints, which represent large integers, to doubles if no precision is lost. */
function exact(value: unknown): unknown {
  if (typeof value === "bigint") {
    const number = exactDouble(value);
    if (number !== undefined) return number;
    throw new GraphQLError("The value must not contain an integer that JSON parsers would round.");
  }
  if (Array.isArray(value)) return value.map(exact);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, exact(member)]));
}

/** @param node part of a document of limited depth */
function literal(node: ValueNode, variables: JsonObject | null | undefined): unknown {
  switch (node.kind) {
    case Kind.VARIABLE:
      return variables?.[node.name.value];
    case Kind.OBJECT:
      return Object.fromEntries(
        node.fields.map(({ name, value }) => [name.value, literal(value, variables)]),
      );
    case Kind.LIST:
      return node.values.map((each) => literal(each, variables));
    case Kind.INT:
      return BigInt(node.value);
    case Kind.FLOAT:
      return finite(Number(node.value));
    case Kind.NULL:
      return null;
    default:
      return node.value;
  }
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new GraphQLError("The value must not contain a number that is out of range.");
}

/** Validates that the property is a JSON object of at most `maxBytes` in UTF-8 that the database stores unchanged. */
export const IsJsonObject = (maxBytes: number): PropertyDecorator =>
  Checked("isJsonObject", (value) => jsonProblem(value, maxBytes));
