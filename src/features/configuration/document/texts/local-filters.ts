import { suggestion } from "../../../../common/suggest";
import {
  currencies,
  DATE_STYLES,
  isCurrency,
  isZone,
  similarZones,
  TIME_STYLES,
  UTC,
} from "../local-formats";
import type { Value } from "../value";
import { dateOf, formatDate, isDay, unknownConversion } from "./dates";
import type { TextRun } from "./text-run";
import { TextError, textOf } from "./text-value";

/** A filter's named arguments, keyed by name. */
type NamedValues = Readonly<Record<string, Value>>;

/** A filter: its number of arguments and its implementation. */
export interface Filter {
  min: number;
  max: number;
  run: (value: Value, args: readonly Value[], run: TextRun, named: NamedValues) => Value;
  /** The arguments that can be passed by name. */
  names?: readonly string[];
  /** Finds a problem with the arguments; a positional argument is undefined unless it is a literal. */
  problemOf?: (
    literals: readonly (string | number | undefined)[],
    names: readonly string[],
  ) => string | undefined;
}

/** The filters whose results depend on a text's language or time zone. */
export const LOCAL_FILTERS: Readonly<Record<string, Filter>> = {
  date: {
    min: 1,
    max: 2,
    run: (value, [format = "", zone = null], run) =>
      dated(value, { part: "date", format: textOf(format, run.steps), zone }, run),
    problemOf: ([format, zone]) => {
      const unknown = typeof format === "string" ? unknownConversion(format) : undefined;
      if (unknown) return `passes the unsupported conversion ${unknown} to the filter date`;
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
      if (!isTimeStyle(name)) throw new TextError("the time style must be short or medium");
      return dated(value, { part: "time", format: name, zone }, run);
    },
    problemOf: ([style, zone]) =>
      style === undefined || isTimeStyle(style)
        ? zoneProblem(zone)
        : `passes ${style} to the filter time: use ${TIME_STYLES.join(" or ")}`,
  },
  money: {
    min: 1,
    max: 1,
    run: (value, [code = ""], run) => {
      const currency = textOf(code, run.steps);
      if (!isCurrency(currency)) throw new TextError("the currency must be a code such as EUR");
      return run.place.formats.number(exact(value, run), run.place.locale, { currency }, run.steps);
    },
    problemOf: ([code]) =>
      code === undefined || isCurrency(String(code))
        ? undefined
        : `uses the unknown currency ${code}${suggestion(String(code).toUpperCase(), currencies())}`,
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
        return "passes forms to the filter plural both by position and by name";
      if (names.length > 0 ? names.includes("other") : literals.length === 2) return undefined;
      return "does not pass the forms one and other to the filter plural";
    },
  },
};

const DIGITS_PROBLEM = "the number of digits must be a whole number from 0 to 15";

const isDigits = (value: Value): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 15;

const isDateStyle = (text: string): text is (typeof DATE_STYLES)[number] =>
  (DATE_STYLES as readonly string[]).includes(text);

const isTimeStyle = (style: unknown): style is (typeof TIME_STYLES)[number] =>
  (TIME_STYLES as readonly unknown[]).includes(style);

const zoneProblem = (zone: string | number | undefined): string | undefined =>
  zone === undefined || isZone(String(zone))
    ? undefined
    : `uses the unknown time zone ${zone}${similarZones(String(zone))}`;

/**
 * Returns a value to format: a number, or a decimal number as text, so that no digits are lost.
 * @throws TextError for anything else, because a 0 in its place could be mistaken for an amount
 */
function exact(value: Value, { steps }: TextRun): number | string {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  steps.spendText(typeof value === "string" ? value.length : 0);
  if (typeof value === "string" && /^-?\d{1,30}(\.\d{1,30})?$/.test(value)) return value;
  throw new TextError("the value to format is not a number");
}

/** Returns a number of the same plural form, which long integers' last six digits determine. */
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

/** Returns a time in the given, contact's or configuration's zone. If the last is unset, strftime uses UTC. */
function zoned(at: Date, zone: Value, isStyled: boolean, run: TextRun): { date: Date; name: string } {
  const { formats, timezone, isZoned } = run.place;
  if (zone !== null) {
    const name = textOf(zone, run.steps);
    const date = formats.inZone(at, name, run.steps);
    if (date === undefined) throw new TextError("the time zone is unknown");
    return { date, name };
  }
  if (!isStyled && !isZoned) return { date: at, name: UTC };
  for (const name of timezone === null ? [formats.zone] : [timezone, formats.zone]) {
    const date = formats.inZone(at, name, run.steps);
    if (date !== undefined) return { date, name };
  }
  return { date: at, name: UTC };
}
