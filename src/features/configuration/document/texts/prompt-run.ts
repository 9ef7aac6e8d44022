import type { Value } from "../value";
import { TextRun } from "./text-run";
import { textOf } from "./text-value";

/**
 * Data for a model, in marks that the data itself cannot contain.
 * @param value any JSON
 */
export const markedAsData = (value: unknown): string =>
  `<data>${JSON.stringify(value).replaceAll("<", "\\u003c")}</data>`;

/** Max number of times a text could be read while it is marked. */
const READINGS_PER_MARK = 6;

/** The writing of instructions for a model: the values in them are data, and marked as such. */
export class PromptRun extends TextRun {
  override writeValue(value: Value): void {
    const text = textOf(value, this.steps);
    this.steps.spendText(READINGS_PER_MARK * text.length);
    this.write(markedAsData(text));
  }
}
