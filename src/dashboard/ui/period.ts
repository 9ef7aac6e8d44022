import { useNow } from "./use-now";

export const DAY_MS = 24 * 60 * 60 * 1000;

/** Granularity of the start of a recent period (ms), so that a list does not reload on each render. */
const STEP_MS = 5 * 60 * 1000;

/** The options of a filter by recent days, in addition to "all time". */
export const LAST_DAYS = [
  { value: "1", label: "Last 24 hours" },
  { value: "7", label: "Last 7 days" },
  { value: "30", label: "Last 30 days" },
];

/** The options of the date filter, in addition to "all time". */
export const PERIODS = [...LAST_DAYS, { value: "dates", label: "Custom range" }];

/**
 * Returns the start and end of a period; null if open.
 * @param from,to days in the browser's time zone, both inclusive
 */
export function periodOf(
  period: string,
  from: string,
  to: string,
  now = Date.now(),
): { since: string | null; until: string | null } {
  if (period === "dates") return { since: startOfDay(from, 0), until: startOfDay(to, 1) };
  const days = Number(period);
  const end = Math.floor(now / STEP_MS) * STEP_MS;
  return { since: days > 0 ? new Date(end - days * DAY_MS).toISOString() : null, until: null };
}

/** Returns a period and rerenders the component when the period moves, even if its data stays the same. */
export const usePeriod = (period: string, from = "", to = "") => periodOf(period, from, to, useNow(STEP_MS));

/** Returns the start of a day in the browser's time zone, or of a later day; null if it is not a day. */
export function startOfDay(day: string, plusDays: number): string | null {
  const moment = new Date(`${day}T00:00:00`);
  if (Number.isNaN(moment.getTime())) return null;
  // Does not add 24 hours, because a day with a clock change has 23 or 25, and may even start at 01:00.
  moment.setDate(moment.getDate() + plusDays);
  moment.setHours(0, 0, 0, 0);
  return moment.toISOString();
}
