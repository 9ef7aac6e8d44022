import type { Value } from "../value";
import { TextRun } from "./text-run";
import { textOf } from "./text-value";

/**
 * Data for a model, in marks that the data itself cannot contain.
 * @param value any JSON
 */
export const markedAsData = (value: unknown): string =>
  `<data>${JSON.stringify(value).replaceAll("<", "\\u003c")}</data>`;

/** The writing of instructions for a model: the values in them are data, and marked as such. */
export class PromptRun extends TextRun {
  override writeValue(value: Value): void {
    this.steps.spend(1);
    this.write(markedAsData(textOf(value, this.steps)));
  }
}
