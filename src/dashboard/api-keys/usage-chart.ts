import { LOCALE, lazy } from "../ui/format";
import type { UsagePeriod } from "./documents.generated";

export const REJECTED_COLOR = "var(--series-rejected)";

/** The periods, as they appear in a sentence. */
export const PERIODS: Readonly<Record<UsagePeriod, string>> = {
  last_24_hours: "in the last 24 hours",
  last_30_days: "in the last 30 days",
};

export const PERIOD_OPTIONS: { value: UsagePeriod; label: string }[] = [
  { value: "last_24_hours", label: "24 hours" },
  { value: "last_30_days", label: "30 days" },
];

const hour = (date: Date) => date.toTimeString().slice(0, 5);
const hourOfDay = (date: Date) => `${date.toDateString().slice(0, 3)} ${hour(date)}`;
const utcDays = lazy(
  () => new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", timeZone: "UTC" }),
);
const utcDay = (date: Date) => utcDays().format(date);

/**
 * Returns the full name of each bar, tick labels for the last bar and two or three earlier ones, and a note on the
 * time zone. The labels are far enough apart not to overlap on narrow screens.
 */
export function namesOf(
  buckets: readonly { start: string }[],
  period: UsagePeriod,
): { names: string[]; ticks: string[]; note: string | undefined } {
  const starts = buckets.map(({ start }) => new Date(start));
  const isDay = period === "last_24_hours";
  const last = starts.length - 1;
  const step = Math.ceil(starts.length / 3);
  const [full, short] = isDay ? [hourOfDay, hour] : [utcDay, utcDay];
  return {
    names: starts.map(full),
    ticks: starts.map((start, i) =>
      i === last ? (isDay ? "now" : "today") : (last - i) % step === 0 ? short(start) : "",
    ),
    note: isDay ? undefined : "Days are in UTC.",
  };
}
