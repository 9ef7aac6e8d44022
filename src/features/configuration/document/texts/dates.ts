import { instantOf } from "../../../../common/instant";
import type { Value } from "../value";

const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

const padded = (value: number, length: number, fill = "0") => String(value).padStart(length, fill);
const hour12 = (date: Date) => date.getUTCHours() % 12 || 12;

/** The supported strftime conversions; a hyphen before the letter omits the padding. */
const CONVERSIONS: Readonly<Record<string, (date: Date, zone: ZonedTime) => string>> = {
  Y: (date) => padded(date.getUTCFullYear(), 4),
  y: (date) => padded(date.getUTCFullYear() % 100, 2),
  m: (date) => padded(date.getUTCMonth() + 1, 2),
  d: (date) => padded(date.getUTCDate(), 2),
  e: (date) => padded(date.getUTCDate(), 2, " "),
  H: (date) => padded(date.getUTCHours(), 2),
  I: (date) => padded(hour12(date), 2),
  l: (date) => padded(hour12(date), 2, " "),
  M: (date) => padded(date.getUTCMinutes(), 2),
  S: (date) => padded(date.getUTCSeconds(), 2),
  L: (date) => padded(date.getUTCMilliseconds(), 3),
  p: (date) => (date.getUTCHours() < 12 ? "AM" : "PM"),
  P: (date) => (date.getUTCHours() < 12 ? "am" : "pm"),
  A: (date) => DAYS[date.getUTCDay()] ?? "",
  a: (date) => DAYS[date.getUTCDay()]?.slice(0, 3) ?? "",
  B: (date) => MONTHS[date.getUTCMonth()] ?? "",
  b: (date) => MONTHS[date.getUTCMonth()]?.slice(0, 3) ?? "",
  u: (date) => String(date.getUTCDay() || 7),
  w: (date) => String(date.getUTCDay()),
  s: (_, { at }) => String(Math.floor(at.getTime() / 1000)),
  F: (date) => date.toISOString().slice(0, 10),
  T: (date) => date.toISOString().slice(11, 19),
  R: (date) => date.toISOString().slice(11, 16),
  z: (date, { at }) => offsetText(date.getTime() - at.getTime()),
  Z: (_, { zone }) => zone,
  "%": () => "%",
};

interface ZonedTime {
  at: Date;
  zone: string;
}

/** Formats a UTC offset, as in `+0130`. */
function offsetText(ms: number): string {
  const minutes = Math.trunc(Math.abs(ms) / 60_000);
  return `${ms < 0 ? "-" : "+"}${padded(Math.trunc(minutes / 60), 2)}${padded(minutes % 60, 2)}`;
}

/**
 * Formats a time using the UTC fields of a date.
 * @param format a strftime format; text other than conversions is copied
 * @param zoned the actual time and its zone; by default, the date in UTC
 */
export const formatDate = (
  date: Date,
  format: string,
  zoned: ZonedTime = { at: date, zone: "UTC" },
): string =>
  format.replace(/%(-?)([A-Za-z%])/g, (all, isUnpadded: string, letter: string) => {
    const text = Object.hasOwn(CONVERSIONS, letter) ? CONVERSIONS[letter]?.(date, zoned) : undefined;
    return isUnpadded ? (text?.replace(/^[0 ]+(?=.)/, "") ?? all) : (text ?? all);
  });

/** Returns the first conversion in a format that `formatDate` does not support; undefined if there is none. */
export const unknownConversion = (format: string): string | undefined =>
  [...format.matchAll(/%[-_^#:0-9]*[A-Za-z%]/g)].map(([all]) => all).find((all) => !isConversion(all));

const isConversion = (text: string): boolean =>
  /^%-?[A-Za-z%]$/.test(text) && Object.hasOwn(CONVERSIONS, text.slice(-1));

/** True if a value is a date without a time, which is the same in every zone. */
export const isDay = (value: Value): boolean =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);

/** Parses the time to format: seconds since 1970, an RFC 3339 string or a date. */
export function dateOf(value: Value): Date | undefined {
  if (typeof value === "number") return instantOf(isoOf(value * 1000));
  if (typeof value !== "string") return undefined;
  return instantOf(isDay(value) ? `${value}T00:00:00Z` : value);
}

const isoOf = (ms: number): string => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : "");
