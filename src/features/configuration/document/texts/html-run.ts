import { escapeHtml } from "../../../../common/escape-html";
import { MESSAGE_HTML_MAX_LENGTH } from "../../../messages/message.limits";
import type { Value } from "../value";
import { HtmlError, HtmlScanner } from "./html-scanner";
import { TextRun } from "./text-run";
import { TextError, textOf } from "./text-value";

/** Cost of escaping text, relative to reading it once. */
const READINGS_PER_ESCAPE = 6;

/** Cost of checking text, relative to reading it once. */
const READINGS_PER_SCAN = 8;

/** Renders HTML with escaped values, so that the values remain text. */
export class HtmlRun extends TextRun {
  protected override readonly maxLength = MESSAGE_HTML_MAX_LENGTH;

  override writeValue(value: Value): void {
    const text = textOf(value, this.steps);
    this.steps.spendText(READINGS_PER_ESCAPE * text.length);
    this.write(escapeHtml(text));
  }

  /** The HTML, checked as a whole, so that it is safe whatever its template and values. It may be empty. */
  override get text(): string {
    if (this.parts.trim() === "") return "";
    const text = super.text;
    this.steps.spendText(READINGS_PER_SCAN * text.length);
    const scanner = new HtmlScanner();
    try {
      scanner.scan(text);
      scanner.end();
      return text;
    } catch (error) {
      if (error instanceof HtmlError) throw new TextError(`the HTML ${error.message}`);
      throw error;
    }
  }
}
