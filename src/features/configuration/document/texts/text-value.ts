import type { StepBudget } from "../step-budget";
import { isList, type Value } from "../value";

/** Thrown when a template cannot be rendered. */
export class TextError extends Error {
  override readonly name = "TextError";
}

/** @throws TextError for an object, because objects cannot be converted to text */
export function textOf(value: Value, steps: StepBudget): string {
  if (value === null) return "";
  if (isList(value)) {
    steps.spend(value.length);
    return value.map((item) => textOf(item, steps)).join("");
  }
  if (typeof value === "object") throw new TextError("an object cannot be converted to text");
  const text = String(value);
  steps.spendText(text.length);
  return text;
}
