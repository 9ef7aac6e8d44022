import { ASK_TEXTS_MAX_LENGTH } from "../../configuration.limits";
import { TextRun } from "./text-run";

/** Renders text that is not a message, such as situation data; the text may be empty. */
export class DataRun extends TextRun {
  protected override readonly maxLength = ASK_TEXTS_MAX_LENGTH;

  override get text(): string {
    this.steps.spendText(this.parts.length);
    this.assertWellFormed();
    return this.parts;
  }
}
