import { z } from "zod";
import { DAY_MS } from "../../../common/time";

const PERIOD = /^P(?:(\d{1,5})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,5})M)?(?:(\d{1,7})S)?)?$/;

const UNITS_MS = [7 * 86_400_000, 86_400_000, 3_600_000, 60_000, 1_000];

/** Returns the length (ms) of an ISO 8601 period without years or months; undefined for other strings. */
export function periodMs(text: string): number | undefined {
  const [, ...amounts] = PERIOD.exec(text) ?? [];
  if (!amounts.some((amount) => amount !== undefined) || text.endsWith("T")) return undefined;
  return amounts.reduce((sum, amount, index) => sum + Number(amount ?? 0) * (UNITS_MS[index] ?? 0), 0);
}

/** Creates a check for periods between a minimum (ms) and a maximum (days). */
export const isPeriodUpTo =
  (days: number, minMs = 1) =>
  (text: string): boolean => {
    const ms = periodMs(text);
    return ms !== undefined && ms >= minMs && ms <= days * DAY_MS;
  };

/** Creates a format for periods with a maximum length in days; problem messages quote the `examples`. */
export const periodUpTo = (days: number, examples: string) =>
  z.string().refine(isPeriodUpTo(days), {
    error: `must be a period such as ${examples}, of at most ${days} days`,
  });
