import { LRUCache } from "lru-cache";
import { getOrCreate } from "../../../common/get-or-create";
import { suggestion } from "../../../common/suggest";
import type { StepBudget } from "./step-budget";

/** Results from Intl, keyed by the call that returned them; they depend on the process's ICU version. */
export type Formatted = Readonly<Record<string, string>>;

/** Cost of a result (steps); creating a formatter may take 0.2 ms. */
const STEPS_PER_FORMAT = 500;

/** The locale used if a text has none or Intl does not support its language. */
export const DEFAULT_LOCALE = "en";

export const UTC = "UTC";

/** Formats numbers and times for one decision, and records the results so that a replay can reuse them. */
export class LocalFormats {
  private readonly used = new Map<string, string>();

  /** @param recorded the results recorded by the decision, if this is a replay */
  constructor(
    readonly zone = UTC,
    private readonly recorded: Formatted = {},
  ) {}

  /** All results so far; undefined if there are none. */
  get formatted(): Formatted | undefined {
    return this.used.size === 0 ? undefined : Object.fromEntries(this.used);
  }

  /** Formats a number, or a decimal number in text form, without losing digits. */
  number(
    value: number | string,
    locale: string,
    options: { currency?: string | undefined; digits?: number | undefined },
    steps: StepBudget,
  ): string {
    const { currency, digits } = options;
    return this.result(`number ${locale} ${currency ?? ""} ${digits ?? ""} ${value}`, steps, () =>
      numberFormat(locale, currency, digits).format(value as number),
    );
  }

  /** Returns the plural category of a number, such as `few`. */
  plural(value: number, locale: string, steps: StepBudget): string {
    return this.result(`plural ${locale} ${value}`, steps, () => pluralRules(locale).select(value));
  }

  /** Formats a date's UTC fields in one of Intl's styles. */
  date(date: Date, locale: string, style: DateStyle, steps: StepBudget): string {
    return this.result(`date ${locale} ${style} ${date.toISOString()}`, steps, () =>
      dateFormat(locale, style).format(date),
    );
  }

  /** Returns a date whose UTC fields are the local time in a zone or offset; undefined for an unknown zone. */
  inZone(date: Date, zone: string, steps: StepBudget): Date | undefined {
    if (zone === UTC) return date;
    const offset =
      fixedOffset(zone) ??
      this.result(`offset ${zone.slice(0, 64)} ${date.toISOString()}`, steps, () => offsetOf(zone, date));
    return offset === "" ? undefined : new Date(date.getTime() + Number(offset) * 1000);
  }

  private result(key: string, steps: StepBudget, compute: () => string): string {
    const known = this.used.get(key);
    steps.spend(known === undefined ? STEPS_PER_FORMAT : 1);
    if (known !== undefined) return known;
    const result = Object.hasOwn(this.recorded, key) ? (this.recorded[key] as string) : compute();
    this.used.set(key, result);
    return result;
  }
}

export type DateStyle = `${"date" | "time"} ${(typeof DATE_STYLES)[number]}`;

export const DATE_STYLES = ["short", "medium", "long", "full"] as const;

/** The supported styles for times; Intl's other styles include the time zone. */
export const TIME_STYLES = ["short", "medium"] as const;

/** Max cached formatters of each kind. */
const MAX_FORMATTERS = 200;

/** Creates formatters on first use. Arguments have at most one space each, so the joined keys differ. */
function cached<Args extends readonly unknown[], Formatter extends object>(
  create: (...args: Args) => Formatter,
): (...args: Args) => Formatter {
  const known = new LRUCache<string, Formatter>({ max: MAX_FORMATTERS });
  return (...args) => getOrCreate(known, args.join(" "), () => create(...args));
}

/** Without the second locale, Intl would fall back to the process's locale. */
const localesOf = (locale: string): string[] => [locale, DEFAULT_LOCALE];

const numberFormat = cached(
  (locale: string, currency: string | undefined, digits: number | undefined) =>
    new Intl.NumberFormat(localesOf(locale), {
      ...(currency !== undefined && { style: "currency", currency }),
      ...(digits !== undefined && { minimumFractionDigits: digits, maximumFractionDigits: digits }),
    }),
);

const pluralRules = cached((locale: string) => new Intl.PluralRules(localesOf(locale)));

const dateFormat = cached((locale: string, style: DateStyle) => {
  const [part = "", name] = style.split(" ");
  return new Intl.DateTimeFormat(localesOf(locale), { [`${part}Style`]: name, timeZone: UTC });
});

const zoneFormat = cached((zone: string): { format?: Intl.DateTimeFormat } => {
  try {
    return { format: new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" }) };
  } catch {
    return {};
  }
});

/** Returns a zone's UTC offset (s) at the given point in time, as text; empty for an unknown zone. */
function offsetOf(zone: string, date: Date): string {
  const { format } = /^[A-Za-z][\w+/-]{0,63}$/.test(zone) ? zoneFormat(zone) : {};
  if (format === undefined) return "";
  const [, sign = "", ...parts] = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(format.format(date)) ?? [];
  const [hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0));
  return `${sign === "-" ? "-" : ""}${hours * 3600 + minutes * 60 + seconds}`;
}

/** Converts an offset such as +02:00, which CEL accepts in place of a zone, to seconds. */
function fixedOffset(zone: string): string | undefined {
  const [, sign = "", hours, minutes] = /^([+-]?)([01]\d|2[0-3]):([0-5]\d)$/.exec(zone) ?? [];
  if (hours === undefined) return undefined;
  return `${sign === "-" ? "-" : ""}${Number(hours) * 3600 + Number(minutes) * 60}`;
}

/** Returns the UTC offset (ms) of a zone or offset at a Unix time (ms); undefined for an unknown zone. */
export function offsetMs(zone: string, atMs: number): number | undefined {
  const seconds = fixedOffset(zone) ?? offsetOf(zone, new Date(atMs));
  return seconds === "" ? undefined : Number(seconds) * 1000;
}

/** True if a string names a time zone or an offset. */
export const isZone = (zone: string): boolean => offsetMs(zone, 0) !== undefined;

/** Returns the end of a message about an unknown time zone: the similar names. */
export const similarZones = (zone: string): string => suggestion(zone, Intl.supportedValuesOf("timeZone"));

export const isCurrency = (code: string): boolean => currencies().has(code);

export const currencies = (() => {
  let codes: ReadonlySet<string> | undefined;
  return () => {
    codes ??= new Set(Intl.supportedValuesOf("currency"));
    return codes;
  };
})();

/** Sample counts for all plural forms of a language, except the rare form for whole millions. */
const COUNTS = Array.from({ length: 201 }, (_, count) => count);

/** Returns a language's plural forms for counts. */
export const pluralsOf = cached((locale: string): readonly string[] => [
  ...new Set(COUNTS.map((count) => pluralRules(locale).select(count))),
]);
