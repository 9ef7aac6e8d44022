import { TextRun } from "./text-run";
import { TextError } from "./text-value";

/** Renders text that is not a message, such as situation data; the text may be empty. */
export class DataRun extends TextRun {
  override get text(): string {
    this.steps.spendText(this.parts.length);
    if (this.parts.includes("\0") || !this.parts.isWellFormed())
      throw new TextError("the text is not well-formed Unicode");
    return this.parts;
  }
}
