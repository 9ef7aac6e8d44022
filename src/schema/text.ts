import { applyDecorators } from "../common/apply-decorators";
import { Checked } from "../common/checked";
import { INVISIBLE } from "../common/invisible";
import { Satisfies } from "../common/validators";
import { holdsToken } from "../credentials/redact-tokens";

/**
 * Returns the problem with a string, or undefined. The length is in code points, as in JSON Schema. PostgreSQL cannot
 * store NUL, and a lone surrogate cannot be encoded in UTF-8.
 */
function textProblem(value: unknown, max: number): string | undefined {
  if (typeof value !== "string") return "must be a string";
  if (value.trim() === "") return "must not be empty";
  if (value.length > 2 * max || (value.length > max && [...value].length > max)) {
    return `must have at most ${max} characters`;
  }
  if (value.includes("\0")) return "must not contain the NUL character";
  if (!value.isWellFormed()) return "must be well-formed Unicode";
  return undefined;
}

/** Validates that a property shown in lists and logs contains no API key or session token. */
export const HoldsNoToken = (): PropertyDecorator =>
  Satisfies(
    "holdsNoToken",
    (value) => typeof value !== "string" || !holdsToken(value),
    "must not contain an API key or a session token",
  );

/**
 * Validates that the property is a non-blank string of at most `max` code points that the database stores unchanged.
 * @param options.trimmed true if the string is stored trimmed, so that leading and trailing whitespace is not counted
 * @param options.singleLine true if the string is shown in lists and terminals and must not match `INVISIBLE`
 */
export function IsText(max: number, { trimmed = false, singleLine = false } = {}): PropertyDecorator {
  const problem = (value: unknown) => {
    const text = trimmed && typeof value === "string" ? value.trim() : value;
    const invisible = singleLine && typeof text === "string" && text.search(INVISIBLE) !== -1;
    return (
      textProblem(text, max) ?? (invisible ? "must not contain control or invisible characters" : undefined)
    );
  };
  return Checked("isText", problem, {
    minLength: 1,
    maxLength: max,
    // Matches strings that are not blank and contain no NUL.
    pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$",
  });
}

/** Validates a text on one line that is shown in lists and logs, such as a name. */
export const IsLine = (max: number, { trimmed = true } = {}): PropertyDecorator =>
  applyDecorators(HoldsNoToken(), IsText(max, { trimmed, singleLine: true }));
