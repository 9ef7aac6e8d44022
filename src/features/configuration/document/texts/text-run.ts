import { SUBJECT_MAX_LENGTH } from "../../../lines/line.limits";
import { MESSAGE_TEXT_MAX_LENGTH } from "../../../messages/message.limits";
import { DEFAULT_LOCALE, LocalFormats } from "../local-formats";
import type { StepBudget } from "../step-budget";
import type { ObjectValue, Value } from "../value";
import { TextError, textOf } from "./text-value";

/** A text's language and time zone. */
export interface TextLocale {
  formats: LocalFormats;
  /** A language tag. */
  locale: string;
  /** The contact's time zone. */
  timezone: string | null;
  /** True if the configuration sets a time zone. */
  isZoned: boolean;
}

/** Renders one text from a template. */
export class TextRun {
  protected parts = "";
  /** Max length of the text (characters). */
  protected readonly maxLength: number = MESSAGE_TEXT_MAX_LENGTH;
  /** The variables of the enclosing loops. */
  readonly variables = new Map<string, Value>();

  /** @param steps budget shared by all texts of a decision */
  constructor(
    readonly roots: ObjectValue,
    readonly now: string,
    readonly steps: StepBudget,
    readonly place: TextLocale = {
      formats: new LocalFormats(),
      locale: DEFAULT_LOCALE,
      timezone: null,
      isZoned: false,
    },
  ) {}

  writeValue(value: Value): void {
    this.steps.spend(1);
    this.write(textOf(value, this.steps));
  }

  write(text: string): void {
    this.steps.spendText(text.length);
    this.parts += text;
    // A character has at most two code units.
    if (this.parts.length > 2 * this.maxLength) throw this.tooLong();
  }

  /** @throws TextError if the text cannot be sent as a message, or TooExpensive after too many steps */
  get text(): string {
    this.steps.spendText(this.parts.length);
    if ([...this.parts].length > this.maxLength) throw this.tooLong();
    this.assertWellFormed();
    if (this.parts.trim() === "") throw new TextError("the text is empty");
    return this.parts;
  }

  /** The text as an e-mail subject: on a single line, and truncated if it is too long. */
  get subject(): string {
    // Building a subject reads the text about three times.
    this.steps.spendText(3 * this.parts.length);
    this.assertWellFormed();
    const line = this.parts.replace(/[\p{Cc}\s]+/gu, " ").trim();
    return [...line].slice(0, SUBJECT_MAX_LENGTH).join("").trim();
  }

  protected assertWellFormed(): void {
    if (this.parts.includes("\0") || !this.parts.isWellFormed())
      throw new TextError("the text is not well-formed Unicode");
  }

  private tooLong(): TextError {
    return new TextError(`the text has more than ${this.maxLength} characters`);
  }
}
