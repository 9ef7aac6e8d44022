import { InvalidArgumentError } from "commander";
import { instantOf } from "../common/instant";

/** Returns the values of an enum, checked by the compiler, without loading the module that declares it. */
export const choicesOf = <T extends string>(all: Readonly<Record<T, true>>): T[] => Object.keys(all) as T[];

/**
 * Parses a comma-separated option such as `pets:read, pets:write`. Throws InvalidArgumentError for an empty list, which
 * could remove a restriction and may come from an unset variable.
 */
export function commaSeparated(text: string): string[] {
  const items = text.split(",").flatMap((each) => each.trim() || []);
  if (items.length === 0) throw new InvalidArgumentError("The list must not be empty.");
  return items;
}

/** Creates a parser for a whole number in a range, which throws InvalidArgumentError. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };

const SECONDS = { s: 1, m: 60, h: 60 * 60, d: 24 * 60 * 60 } as const;

/** Describes the duration format in option descriptions. */
export const DURATION_FORM = "such as 30d, 12h, 45m or 90s; a plain number means seconds";

/** Returns the seconds in `30d`, `12h`, `45m`, `90s` or a plain number; undefined for other text. */
function secondsOf(text: string): number | undefined {
  const [, digits, unit = "s"] = /^(\d{1,12})([smhd])?$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * SECONDS[unit as keyof typeof SECONDS];
}

/** Creates a parser for a duration (s) in a range, which throws InvalidArgumentError; `longest` describes `max`. */
export const duration =
  (min: number, [max, longest]: [seconds: number, text: string]) =>
  (text: string): number => {
    const seconds = secondsOf(text);
    if (seconds === undefined || seconds < min || seconds > max) {
      throw new InvalidArgumentError(`It must be a duration of at most ${longest}, ${DURATION_FORM}.`);
    }
    return seconds;
  };

/** A date, alone or with a time; `Date` also parses other text, such as `3600` as a year. */
const DATE = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/i;

/** True for a date that exists; `Date` reads February 30 as March 2. */
const startsWithDay = (text: string): boolean => instantOf(`${DATE.exec(text)?.[1]}T00:00:00Z`) !== undefined;

/** Parses a time, a date, or a duration before now with a unit; throws InvalidArgumentError for any other text. */
export function parseTime(text: string): Date {
  const instant = instantOf(text);
  if (instant !== undefined) return instant;
  const seconds = /[a-z]$/.test(text) ? secondsOf(text) : undefined;
  const date = new Date(seconds === undefined ? text : Date.now() - seconds * 1000);
  if (Number.isNaN(+date) || (seconds === undefined && !startsWithDay(text)))
    throw new InvalidArgumentError("It must be a time such as 2026-11-21T08:00:00Z, or 7d for a week ago.");
  return date;
}
