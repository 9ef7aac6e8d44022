import { applyDecorators } from "./apply-decorators";
import { JsonSchema } from "./json-schema";
import { Satisfies } from "./validators";

/** The smallest and the largest int64. */
export const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n } as const;

/** True if a value is the canonical decimal text of an int64: no plus sign, leading zero or exponent. */
export function isInt64(text: unknown): text is string {
  if (typeof text !== "string" || text.length > 20 || !/^(0|-?[1-9]\d*)$/.test(text)) return false;
  const value = BigInt(text);
  return value >= INT64.min && value <= INT64.max;
}

/** Declares that the property holds an int64: as decimal text in GraphQL, as a number in REST. */
export const Int64 = JsonSchema({ type: "integer", format: "int64" });

/** The validation message for every invalid int64. */
export const MUST_BE_INT64 = "must be a 64-bit integer (int64)";

/** Validates that the property is an int64 as decimal text, its form in GraphQL. */
export const IsInt64 = (): PropertyDecorator =>
  applyDecorators(Satisfies("isInt64", isInt64, MUST_BE_INT64), Int64);
