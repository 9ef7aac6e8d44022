import { ValidateBy } from "class-validator";
import { JsonSchema } from "../common/json-schema";
import { holdsToken } from "../credentials/redact-tokens";

/**
 * Characters that nobody sees, or that change how others are shown: controls, format characters (bidirectional marks
 * among them), separators of lines, and what fonts show as nothing.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * What is wrong with a text, or undefined. Length counts code points, as JSON Schema does. NUL cannot be
 * stored by PostgreSQL, and a lone surrogate has no UTF-8: both would come back changed.
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

/** The property is shown in lists and logs, so it must hold no API key and no session token. */
export const HoldsNoToken = (): PropertyDecorator =>
  ValidateBy({
    name: "holdsNoToken",
    validator: {
      validate: (value) => typeof value !== "string" || !holdsToken(value),
      defaultMessage: () => "must not hold an API key or a session token",
    },
  });

/**
 * The property must be a text that is not blank and comes back byte for byte: at most `max` code points.
 * @param options.trimmed the text is stored without blanks at its ends, so they do not count
 * @param options.singleLine the text is shown in lists and terminals, so it may hold nothing of `UNSEEN`
 */
export function IsText(max: number, { trimmed = false, singleLine = false } = {}): PropertyDecorator {
  const problem = (value: unknown) => {
    const text = trimmed && typeof value === "string" ? value.trim() : value;
    const unseen = singleLine && typeof text === "string" && UNSEEN.test(text);
    return (
      textProblem(text, max) ?? (unseen ? "must not contain control or invisible characters" : undefined)
    );
  };
  const validate = ValidateBy({
    name: "isText",
    constraints: [max],
    validator: {
      validate: (value) => problem(value) === undefined,
      defaultMessage: (args) => problem(args?.value) ?? "",
    },
  });
  // Not blank, and no NUL.
  const declare = JsonSchema(
    { minLength: 1, maxLength: max, pattern: "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$" },
    problem,
  );
  return (target, property) => {
    validate(target, property);
    declare(target, property);
  };
}
