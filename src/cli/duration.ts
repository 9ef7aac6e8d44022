import { InvalidArgumentError } from "commander";

const SECONDS = { s: 1, m: 60, h: 60 * 60, d: 24 * 60 * 60 } as const;

/** Describes the duration format in option descriptions. */
export const DURATION_FORM = "such as 30d, 12h, 45m or 90s; a plain number means seconds";

/**
 * Parses `30d`, `12h`, `45m`, `90s` or a number of seconds.
 * @returns seconds, or undefined for other text
 */
export function secondsOf(text: string): number | undefined {
  const [, digits, unit = "s"] = /^(\d{1,12})([smhd])?$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * SECONDS[unit as keyof typeof SECONDS];
}

/**
 * Creates a parser for a duration option.
 * @param max the max duration (s), and the text that describes it
 * @returns a function that throws InvalidArgumentError for any other text and for durations outside the range
 */
export const duration =
  (min: number, [max, longest]: [seconds: number, text: string]) =>
  (text: string): number => {
    const seconds = secondsOf(text);
    if (seconds === undefined || seconds < min || seconds > max) {
      throw new InvalidArgumentError(`It must be a duration of at most ${longest}, ${DURATION_FORM}.`);
    }
    return seconds;
  };
