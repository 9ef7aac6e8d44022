import { PROMPT_MAX_LENGTH } from "../../configuration.limits";
import type { Value } from "../value";
import { TextRun } from "./text-run";
import { textOf } from "./text-value";

/** Encloses JSON data for a model in delimiters that the data cannot contain. */
export const markedAsData = (value: unknown): string =>
  `<data>${JSON.stringify(value).replaceAll("<", "\\u003c")}</data>`;

/** Cost of marking text as data, relative to reading it once. */
const READINGS_PER_MARK = 6;

/** Renders the instructions for a model; values are marked as data. */
export class PromptRun extends TextRun {
  protected override readonly maxLength = PROMPT_MAX_LENGTH;

  override writeValue(value: Value): void {
    const text = textOf(value, this.steps);
    this.steps.spendText(READINGS_PER_MARK * text.length);
    this.write(markedAsData(text));
  }
}
