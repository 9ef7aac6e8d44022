import { instantOf } from "../../../../common/instant";
import type { Value } from "../value";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

const padded = (value: number, length: number, fill = "0") => String(value).padStart(length, fill);
const hour12 = (date: Date) => date.getUTCHours() % 12 || 12;

/** The supported strftime conversions; a hyphen before the letter omits the padding. */
const CONVERSIONS: Readonly<Record<string, (date: Date) => string>> = {
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
  s: (date) => String(Math.floor(date.getTime() / 1000)),
  F: (date) => date.toISOString().slice(0, 10),
  T: (date) => date.toISOString().slice(11, 19),
  R: (date) => date.toISOString().slice(11, 16),
  z: () => "+0000",
  Z: () => "UTC",
  "%": () => "%",
};

/**
 * Formats a time in UTC.
 * @param format as for strftime; anything that is not a conversion stays unchanged
 */
export const formatDate = (date: Date, format: string): string =>
  format.replace(/%(-?)([A-Za-z%])/g, (all, isUnpadded: string, letter: string) => {
    const text = Object.hasOwn(CONVERSIONS, letter) ? CONVERSIONS[letter]?.(date) : undefined;
    return isUnpadded ? (text?.replace(/^[0 ]+(?=.)/, "") ?? all) : (text ?? all);
  });

/** The first conversion of a format that `formatDate` does not know; undefined if there is none. */
export const unknownConversion = (format: string): string | undefined =>
  [...format.matchAll(/%[-_^#:0-9]*[A-Za-z%]/g)].map(([all]) => all).find((all) => !isConversion(all));

const isConversion = (text: string): boolean =>
  /^%-?[A-Za-z%]$/.test(text) && Object.hasOwn(CONVERSIONS, text.slice(-1));

/** Parses the time to be formatted: seconds since 1970, an RFC 3339 text or a date. */
export function dateOf(value: Value): Date | undefined {
  if (typeof value === "number") return instantOf(isoOf(value * 1000));
  if (typeof value !== "string") return undefined;
  return instantOf(/^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : value);
}

const isoOf = (ms: number): string => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : "");
