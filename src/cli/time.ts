import { InvalidArgumentError } from "commander";
import { instantOf } from "../common/instant";
import { secondsOf } from "./duration";

/** The start of a date; `Date` also parses other text, such as `3600` as a year. */
const DATE = /^\d{4}-\d{2}/;

/**
 * Parses an option that is a time, a date, or a duration before now; a duration needs a unit.
 * @throws InvalidArgumentError for any other text
 */
export function parseTime(text: string): Date {
  const instant = instantOf(text);
  if (instant !== undefined) return instant;
  const seconds = /[a-z]$/.test(text) ? secondsOf(text) : undefined;
  const date = new Date(seconds === undefined ? text : Date.now() - seconds * 1000);
  if (Number.isNaN(+date) || (seconds === undefined && !DATE.test(text)))
    throw new InvalidArgumentError("It must be a time such as 2026-11-21T08:00:00Z, or 7d for a week ago.");
  return date;
}
