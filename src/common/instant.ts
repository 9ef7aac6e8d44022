import { LAST_MOMENT_MS } from "./time";

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

const FIRST_MOMENT_MS = Date.parse("0001-01-01T00:00:00Z");

/** True if a time is within the years that a timestamp can represent. */
export const isInstant = (ms: number): boolean => ms >= FIRST_MOMENT_MS && ms <= LAST_MOMENT_MS;

/**
 * Parses an RFC 3339 time, with `t` and `z` in either case. A leap second (second 60) becomes second 0 of the next
 * minute, as in Unix time.
 * @returns undefined for any other text and for dates that do not exist
 */
export function instantOf(text: string): Date | undefined {
  const [, year, month, day, second] = RFC_3339.exec(text) ?? [];
  if (year === undefined) return undefined;
  const isLeapSecond = second === "60";
  const ms = Date.parse(isLeapSecond ? text.toUpperCase().replace(":60", ":59") : text.toUpperCase());
  const instant = new Date(isLeapSecond ? ms + 1000 : ms);
  if (!isInstant(instant.getTime())) return undefined;
  const date = new Date(Date.UTC(2000, Number(month) - 1, Number(day)));
  const isLeapDay = month === "02" && day === "29";
  const hasDay = date.getUTCDate() === Number(day) && (!isLeapDay || isLeapYear(Number(year)));
  return hasDay ? instant : undefined;
}

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
