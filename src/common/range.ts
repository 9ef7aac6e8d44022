import { Checked } from "./checked";

/** Validates that the property is a number from `minimum` to `maximum`, inclusive. */
export function IsBetween(minimum: number, maximum: number): PropertyDecorator {
  const check = (value: unknown) => {
    if (typeof value !== "number") return undefined;
    if (value < minimum) return `must be at least ${minimum}`;
    return value > maximum ? `must be at most ${maximum}` : undefined;
  };
  return Checked("isBetween", check, { minimum, maximum });
}
