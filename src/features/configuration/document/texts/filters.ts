import { suggestion } from "../../../../common/suggest";
import { currencies, DATE_STYLES, isCurrency, isZone, TIME_STYLES, UTC } from "../local-formats";
import type { StepBudget } from "../step-budget";
import { isList, type Value } from "../value";
import { dateOf, formatDate, isDay, unknownConversion } from "./dates";
import type { TextRun } from "./text-run";
import { TextError, textOf } from "./text-value";

/** Arguments by name. */
type NamedValues = Readonly<Record<string, Value>>;

/** A filter: its number of arguments and its implementation. */
interface Filter {
  min: number;
  max: number;
  run: (value: Value, args: readonly Value[], run: TextRun, named: NamedValues) => Value;
  /** The arguments that can be passed by name. */
  names?: readonly string[];
  /**
   * Finds a problem with the arguments.
   * @param literals the arguments by position; undefined for an argument that is not a literal
   * @param names the names of the other arguments
   */
  problemOf?: (
    literals: readonly (string | number | undefined)[],
    names: readonly string[],
  ) => string | undefined;
}

/** A filter on numbers; anything else counts as 0. */
const ofNumber = (argumentCount: number, calculate: (...numbers: number[]) => number): Filter => ({
  min: argumentCount,
  max: argumentCount,
  run: (value, args, { steps }) => {
    const result = calculate(...[value, ...args].map((each) => numberOf(each, steps)));
    if (Number.isFinite(result)) return result;
    throw new TextError("a calculation has no finite result");
  },
});

/**
 * A filter on texts.
 * @param readings cost of the longest possible result, as the number of times that the text is read; 0 if the filter
 *   counts its own cost
 */
const ofText = (
  min: number,
  max: number,
  transform: (text: string, args: readonly Value[], run: TextRun) => Value,
  readings = 0,
): Filter => ({
  min,
  max,
  run: (value, args, run) => {
    const text = textOf(value, run.steps);
    if (readings > 0) run.steps.spendText(readings * text.length);
    return transform(text, args, run);
  },
});

function numberOf(value: Value, steps: StepBudget): number {
  steps.spendText(typeof value === "string" ? value.length : 0);
  const number = typeof value === "string" || typeof value === "number" ? Number(value) : 0;
  return Number.isFinite(number) ? number : 0;
}

/** The filters available to templates; they never use the clock, random numbers or anything outside the template. */
const FILTERS: Readonly<Record<string, Filter>> = {
  abs: ofNumber(0, Math.abs),
  at_least: ofNumber(1, Math.max),
  at_most: ofNumber(1, Math.min),
  ceil: ofNumber(0, Math.ceil),
  divided_by: ofNumber(1, (value = 0, divisor = 0) => value / divisor),
  floor: ofNumber(0, Math.floor),
  minus: ofNumber(1, (value = 0, other = 0) => value - other),
  modulo: ofNumber(1, (value = 0, divisor = 0) => ((value % divisor) + divisor) % divisor),
  plus: ofNumber(1, (value = 0, other = 0) => value + other),
  times: ofNumber(1, (value = 0, factor = 0) => value * factor),
  round: {
    min: 0,
    max: 1,
    run: (value, [digits = 0], { steps }) => round(numberOf(value, steps), numberOf(digits, steps)),
  },

  append: ofText(1, 1, (text, [other = ""], { steps }) => joined([text, textOf(other, steps)], "", steps)),
  prepend: ofText(1, 1, (text, [other = ""], { steps }) => joined([textOf(other, steps), text], "", steps)),
  capitalize: ofText(0, 0, (text) => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase(), 3),
  downcase: ofText(0, 0, (text) => text.toLowerCase(), 3),
  upcase: ofText(0, 0, (text) => text.toUpperCase(), 3),
  strip: ofText(0, 0, (text) => text.trim(), 1),
  remove: ofText(1, 1, (text, [part = ""], run) => replaced(text, textOf(part, run.steps), "", run)),
  replace: ofText(2, 2, (text, [part = "", by = ""], run) =>
    replaced(text, textOf(part, run.steps), textOf(by, run.steps), run),
  ),
  truncate: ofText(
    0,
    2,
    (text, [length = 50, end = "..."], { steps }) =>
      truncated(text, numberOf(length, steps), textOf(end, steps)),
    3,
  ),
  url_encode: ofText(0, 0, (text) => encodeURIComponent(text.toWellFormed()).replaceAll("%20", "+"), 9),

  default: { min: 1, max: 1, run: (value, [other = null]) => (isAbsent(value) ? other : value) },
  first: { min: 0, max: 0, run: (value) => itemsOf(value).at(0) ?? null },
  last: { min: 0, max: 0, run: (value) => itemsOf(value).at(-1) ?? null },
  size: { min: 0, max: 0, run: (value) => (typeof value === "string" || isList(value) ? value.length : 0) },
  join: {
    min: 0,
    max: 1,
    run: (value, [separator = " "], { steps }) =>
      joined(
        (isList(value) ? value : [value]).map((item) => textOf(item, steps)),
        textOf(separator, steps),
        steps,
      ),
  },
  date: {
    min: 1,
    max: 2,
    run: (value, [format = "", zone = null], run) =>
      dated(value, { part: "date", format: textOf(format, run.steps), zone }, run),
    problemOf: ([format, zone]) => {
      const unknown = typeof format === "string" ? unknownConversion(format) : undefined;
      if (unknown) return `passes ${unknown} to the filter date, which does not support this conversion`;
      const isStyle = (DATE_STYLES as readonly unknown[]).includes(format);
      const meant =
        typeof format === "string" && !isStyle && !format.includes("%")
          ? suggestion(format, DATE_STYLES)
          : "";
      return meant === "" ? zoneProblem(zone) : `passes ${format} to the filter date${meant}`;
    },
  },
  time: {
    min: 1,
    max: 2,
    run: (value, [style = "", zone = null], run) => {
      const name = textOf(style, run.steps);
      if (!isTimeStyle(name)) throw new TextError("the style of a time is neither short nor medium");
      return dated(value, { part: "time", format: name, zone }, run);
    },
    problemOf: ([style, zone]) =>
      style === undefined || isTimeStyle(style)
        ? zoneProblem(zone)
        : `passes ${style} to the filter time, which has the styles ${TIME_STYLES.join(" and ")}`,
  },
  money: {
    min: 1,
    max: 1,
    run: (value, [code = ""], run) => {
      const currency = textOf(code, run.steps);
      if (!isCurrency(currency)) throw new TextError("the currency is not a code such as EUR");
      return run.place.formats.number(exact(value, run), run.place.locale, { currency }, run.steps);
    },
    problemOf: ([code]) =>
      code === undefined || isCurrency(String(code))
        ? undefined
        : `uses the currency ${code}, which does not exist${suggestion(String(code).toUpperCase(), currencies())}`,
  },
  number: {
    min: 0,
    max: 1,
    run: (value, [digits], run) => {
      if (digits !== undefined && !isDigits(digits)) throw new TextError(DIGITS_PROBLEM);
      return run.place.formats.number(exact(value, run), run.place.locale, { digits }, run.steps);
    },
    problemOf: ([digits]) =>
      digits === undefined || isDigits(digits)
        ? undefined
        : `passes ${digits} to the filter number: ${DIGITS_PROBLEM}`,
  },
  plural: {
    min: 0,
    max: 2,
    names: ["zero", "one", "two", "few", "many", "other"],
    run: (value, [one = null, other = null], run, named) => {
      const { formats, locale } = run.place;
      const forms: NamedValues = other === null ? named : { one, other };
      const category = formats.plural(countOf(exact(value, run)), locale, run.steps);
      return (Object.hasOwn(forms, category) ? forms[category] : forms.other) ?? null;
    },
    problemOf: (literals, names) => {
      if (names.length > 0 && literals.length > 0)
        return "passes forms to the filter plural by position and by name";
      if (names.length > 0 ? names.includes("other") : literals.length === 2) return undefined;
      return "does not pass the forms one and other to the filter plural";
    },
  },
};

export const FILTER_NAMES: readonly string[] = Object.keys(FILTERS);

/** The filter with this name; undefined if there is none. */
export const filterOf = (name: string): Filter | undefined =>
  Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;

const isAbsent = (value: Value): boolean =>
  value === null || value === false || value === "" || (isList(value) && value.length === 0);

const itemsOf = (value: Value): readonly Value[] => (isList(value) ? value : []);

function joined(texts: readonly string[], separator: string, steps: StepBudget): string {
  steps.spendText(texts.reduce((sum, text) => sum + text.length + separator.length, 0));
  return texts.join(separator);
}

function replaced(text: string, part: string, by: string, { steps }: TextRun): string {
  if (part === "") return text;
  steps.spendSearch(text.length, part.length);
  const parts = text.split(part);
  // Splitting and joining takes up to one step per part, however short.
  steps.spend(parts.length);
  return joined(parts, by, steps);
}

/** Truncates text to a number of characters, including `end`. */
function truncated(text: string, length: number, end: string): string {
  const characters = [...text];
  if (characters.length <= length) return text;
  return characters.slice(0, Math.max(0, length - [...end].length)).join("") + end;
}

function round(value: number, digits: number): number {
  const places = Math.min(Math.max(Math.trunc(digits), 0), 15);
  const [mantissa, exponent = "0"] = String(Math.abs(value)).split("e");
  const scaled = Number(`${mantissa}e${Number(exponent) + places}`);
  if (scaled > Number.MAX_SAFE_INTEGER) return value;
  return Math.sign(value) * Number(`${Math.round(scaled)}e-${places}`);
}

const DIGITS_PROBLEM = "the number of digits is not a whole number from 0 to 15";

const isDigits = (value: Value): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 15;

const isDateStyle = (text: string): text is (typeof DATE_STYLES)[number] =>
  (DATE_STYLES as readonly string[]).includes(text);

const isTimeStyle = (style: unknown): style is (typeof TIME_STYLES)[number] =>
  (TIME_STYLES as readonly unknown[]).includes(style);

const zoneProblem = (zone: string | number | undefined): string | undefined =>
  zone === undefined || isZone(String(zone))
    ? undefined
    : `uses the time zone ${zone}, which does not exist${suggestion(String(zone), Intl.supportedValuesOf("timeZone"))}`;

/**
 * A number to format, or a decimal number as text, without losing a digit.
 * @throws TextError for anything else, because 0 in its place could be mistaken for an amount
 */
function exact(value: Value, { steps }: TextRun): number | string {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  steps.spendText(typeof value === "string" ? value.length : 0);
  if (typeof value === "string" && /^-?\d{1,30}(\.\d{1,30})?$/.test(value)) return value;
  throw new TextError("the value to format is not a number");
}

/**
 * Converts a number for choosing a plural form. Long integers are shortened, because plural rules depend only on the
 * last six digits and whether there are more.
 */
const countOf = (value: number | string): number =>
  /^-?\d{16,}$/.test(String(value)) ? Number(`1${String(value).slice(-12)}`) : Number(value);

function dated(
  value: Value,
  { part, format, zone }: { part: "date" | "time"; format: string; zone: Value },
  run: TextRun,
): Value {
  run.steps.spendText(typeof value === "string" ? value.length : 0);
  const at = dateOf(value === "now" || value === "today" ? run.now : value);
  if (!at) return value;
  const isStyled = isDateStyle(format);
  const local = isDay(value) ? { date: at, name: UTC } : zoned(at, zone, isStyled, run);
  const { formats, locale } = run.place;
  if (isStyled) return formats.date(local.date, locale, `${part} ${format}`, run.steps);
  const text = formatDate(local.date, format, { at, zone: local.name });
  // A conversion takes about one step, and a zone has at most 64 characters.
  run.steps.spend(1 + (local.name === UTC ? 1 : 3) * format.length);
  return text;
}

/**
 * A time in the given zone, else the contact's, else the configuration's. Without a configured zone, strftime
 * conversions use UTC, as they did before configurations had a zone.
 */
function zoned(at: Date, zone: Value, isStyled: boolean, run: TextRun): { date: Date; name: string } {
  const { formats, timezone, isZoned } = run.place;
  if (zone !== null) {
    const name = textOf(zone, run.steps);
    const date = formats.inZone(at, name, run.steps);
    if (date === undefined) throw new TextError("there is no such time zone");
    return { date, name };
  }
  if (!isStyled && !isZoned) return { date: at, name: UTC };
  for (const name of timezone === null ? [formats.zone] : [timezone, formats.zone]) {
    const date = formats.inZone(at, name, run.steps);
    if (date !== undefined) return { date, name };
  }
  return { date: at, name: UTC };
}
