import { InvalidArgumentError } from "commander";
import { instantOf } from "../common/instant";
import { secondsOf } from "./duration";

/**
 * Parses an option that is a time or a duration before now.
 * @throws InvalidArgumentError for any other text
 */
export function parseTime(text: string): Date {
  const instant = instantOf(text);
  if (instant !== undefined) return instant;
  const seconds = /[a-z]$/.test(text) ? secondsOf(text) : undefined;
  const date = new Date(seconds === undefined ? text : Date.now() - seconds * 1000);
  if (Number.isNaN(+date))
    throw new InvalidArgumentError("It must be a time such as 2026-11-21T08:00:00Z, or 7d for a week ago.");
  return date;
}
