import {
  type GraphQLInputField,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
} from "graphql";
import { type InputProblem, MOST_PROBLEMS } from "../errors";
import { excerpt } from "../keys/redact-tokens";
import { isInt64 } from "../validation/int64";
import { ruleOf } from "../validation/json-schema";

/** Whether values come out of a JSON body, with types, or out of a URL, as text. */
export type Source = "json" | "text";

interface Place {
  /** Empty for the body as a whole. */
  path: string;
  source: Source;
  problems: InputProblem[];
}

/** The name that an idempotency key has in GraphQL's inputs; REST carries it in a header instead. */
export const IDEMPOTENCY_FIELD = "idempotencyKey";

/**
 * Turns a value of a REST request into the GraphQL variable of the same meaning, so that the schema can judge
 * it. Only the forms differ: an int64 is a number in JSON, and all is text in a URL.
 * @param place.problems where what has no meaning as this type is added, in the words of REST
 */
export function decode(
  value: unknown,
  type: GraphQLInputType,
  place: Place,
  field?: GraphQLInputField,
): unknown {
  const refuse = (problem: string): undefined => {
    place.problems.push({ path: place.path || "body", problem });
  };
  if (isNonNullType(type)) {
    return value == null ? refuse("is required") : decode(value, type.ofType, place, field);
  }
  if (value == null) return value;
  if (Array.isArray(value))
    return refuse(place.source === "text" ? "must be given once" : "must not be a list");
  if (isInputObjectType(type)) {
    return isRecord(value) ? decodeObject(value, type.getFields(), place) : refuse("must be an object");
  }
  if (isEnumType(type)) {
    const names = type.getValues().map(({ name }) => name);
    return typeof value === "string" && names.includes(value)
      ? value
      : refuse(`must be one of ${names.join(", ")}`);
  }
  const isInteger = type.name === "Int" || ruleOf(field).format === "int64";
  if (isInteger)
    return (
      decodeInteger(value, type.name, place) ??
      refuse(`must be an integer of ${type.name === "Int" ? 32 : 64} bits`)
    );
  return typeof value === "string" ? value : refuse("must be a string");
}

function decodeObject(
  value: Record<string, unknown>,
  { [IDEMPOTENCY_FIELD]: _, ...fields }: Record<string, GraphQLInputField>,
  place: Place,
): Record<string, unknown> {
  const at = (name: string): Place => ({ ...place, path: place.path ? `${place.path}.${name}` : name });
  for (const name of Object.keys(value)) {
    if (place.problems.length >= MOST_PROBLEMS) break;
    if (!Object.hasOwn(fields, name))
      place.problems.push({ path: excerpt(at(name).path, 100), problem: "is not known" });
  }
  return Object.fromEntries(
    Object.values(fields).map((field) => [
      field.name,
      decode(own(value, field.name), field.type, at(field.name), field),
    ]),
  );
}

/** @returns a number for GraphQL's Int, text for an int64, undefined for what is no such integer */
function decodeInteger(value: unknown, type: string, { source }: Place): number | string | undefined {
  const text = source === "text" ? value : typeof value === "string" ? undefined : String(value);
  if (!isInt64(text)) return undefined;
  if (type !== "Int") return text;
  const number = Number(text);
  return number === (number | 0) ? number : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const own = (value: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined;
