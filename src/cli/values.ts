import { InvalidArgumentError } from "commander";
import { instantOf } from "../common/instant";

/** Returns the values of an enum, checked by the compiler, without loading the module that declares it. */
export const choicesOf = <T extends string>(all: Readonly<Record<T, true>>): T[] => Object.keys(all) as T[];

/** Parses a comma-separated option such as `pets:read, pets:write`. */
export const commaSeparated = (text: string): string[] =>
  text.split(",").flatMap((each) => each.trim() || []);

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

/** The start of a date; `Date` also parses other text, such as `3600` as a year. */
const DATE = /^\d{4}-\d{2}/;

/** Parses a time, a date, or a duration before now with a unit; throws InvalidArgumentError for any other text. */
export function parseTime(text: string): Date {
  const instant = instantOf(text);
  if (instant !== undefined) return instant;
  const seconds = /[a-z]$/.test(text) ? secondsOf(text) : undefined;
  const date = new Date(seconds === undefined ? text : Date.now() - seconds * 1000);
  if (Number.isNaN(+date) || (seconds === undefined && !DATE.test(text)))
    throw new InvalidArgumentError("It must be a time such as 2026-11-21T08:00:00Z, or 7d for a week ago.");
  return date;
}
