import { TextRun } from "./text-run";

/** Renders text that is not a message, such as situation data; the text may be empty. */
export class DataRun extends TextRun {
  override get text(): string {
    this.steps.spendText(this.parts.length);
    this.assertWellFormed();
    return this.parts;
  }
}
