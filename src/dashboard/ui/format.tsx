import { createContext, useContext } from "react";
import { createStore } from "../store";
import { useNow } from "./use-now";

/** The browser's preferred English locale, or American English. Dates are in English, like the text around them. */
export const LOCALE = navigator.languages.find((language) => language.startsWith("en")) ?? "en-US";

/**
 * Creates a value on first use and caches it. Loading the browser's data for `Intl` formats takes longer than rendering
 * the first page.
 */
export function lazy<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= create();
    return value;
  };
}

const exact = lazy(() => new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "long" }));

/** Formats an integer: "12,345". Does not use `Intl`, whose first use takes longer than rendering the page. */
export const formatNumber = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

/** Formats a count; "10,000+" if the server stopped counting at a limit. */
export const formatCount = (count: number, isExact: boolean | undefined): string =>
  `${formatNumber(count)}${isExact ? "" : "+"}`;

/** Formats a number with two significant digits: "12K". */
export function formatCompact(value: number): string {
  const [size, unit] = COMPACT.find(([least]) => value >= least) ?? [1, ""];
  return `${Number((value / size).toPrecision(2))}${unit}`;
}

const COMPACT = [
  [1e9, "B"],
  [1e6, "M"],
  [1e3, "K"],
] as const;

/** Formats a share with at most one decimal: "12.5%". */
export const formatPercent = (share: number): string => `${Number((share * 100).toFixed(1))}%`;

/** Units and their lengths. A unit is used for counts of at least `from`, so that 30 days is not "1 month". */
const UNITS: readonly { unit: string; seconds: number; from: number }[] = [
  { unit: "year", seconds: 365 * 86_400, from: 1 },
  { unit: "month", seconds: 30 * 86_400, from: 2 },
  { unit: "day", seconds: 86_400, from: 2 },
  { unit: "hour", seconds: 3_600, from: 1 },
];
const MINUTE = { unit: "minute", seconds: 60 } as const;

/** Times up to this far in the future are shown as "just now", because the server's clock may be ahead. */
const LATE_SECONDS = 5;

/**
 * "3 minutes ago", "in 2 days". Future times round up to the minute, so that a week starts as "in 7 days". Does not use
 * `Intl.RelativeTimeFormat`, because its first use takes longer than rendering a table.
 */
function relativeTime(moment: string, now: number): string {
  const distance = (Date.parse(moment) - now) / 1000;
  if (Math.abs(distance) < 60) return distance > LATE_SECONDS ? "in less than a minute" : "just now";
  const rounded = distance > 0 ? Math.ceil(distance / 60) * 60 : distance;
  const { unit, seconds } = UNITS.find((step) => Math.abs(rounded) >= step.from * step.seconds) ?? MINUTE;
  const count = Math.trunc(Math.abs(rounded) / seconds);
  const amount = `${count} ${unit}${count === 1 ? "" : "s"}`;
  return distance > 0 ? `in ${amount}` : `${amount} ago`;
}

/** Returns the date and time to the second in the browser's time zone, with the name of the zone. */
export const exactTime = (moment: string): string => exact().format(new Date(moment));

/** Returns the date and time to the minute in a time zone; undefined if the browser does not know the zone. */
export function timeIn(moment: string, zone: string): string | undefined {
  try {
    const format = { dateStyle: "medium", timeStyle: "short", timeZone: zone } as const;
    return new Intl.DateTimeFormat(LOCALE, format).format(new Date(moment));
  } catch {
    return undefined;
  }
}

const minute = lazy(() => new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short" }));

const day = lazy(() => new Intl.DateTimeFormat(LOCALE, { dateStyle: "long", timeZone: "UTC" }));

/** Returns the date in UTC. */
export const formatDay = (moment: string): string => day().format(new Date(moment));

/** Returns the browser's time zone with its offset from UTC. */
export const timeZone = lazy(() => {
  const format = new Intl.DateTimeFormat("en", { timeZoneName: "longOffset" });
  const { timeZone: name } = format.resolvedOptions();
  const offset = format.formatToParts().find(({ type }) => type === "timeZoneName")?.value;
  return offset === undefined || name === "UTC" ? name : `${name} (${offset.replace("GMT", "UTC")})`;
});

/** True if all pages show exact times instead of relative ones. */
const allExact = createStore(false);

/** Switches the times on all pages between exact and relative. */
export const toggleTimes = (): void => allExact.set(!allExact.get());

/** True where there is room to show each time in both forms, exact and relative to now. */
export const TimesInFull = createContext(false);

/**
 * A time relative to now. The tooltip, created on demand, and the `datetime` attribute contain the exact time; a tap or
 * the key T shows it in place of the relative one.
 * @param isDue true if an event is due at the time, and overdue afterwards
 * @param isExact true to show the date and time instead, to the minute
 */
export function Time(props: { value: string; isDue?: boolean; isExact?: boolean }) {
  const { value, isDue = false, isExact = false } = props;
  useNow();
  const now = Date.now();
  const inFull = useContext(TimesInFull);
  const isToggled = allExact.use();
  const isOverdue = isDue && Date.parse(value) <= now + LATE_SECONDS * 1000;
  const relative = isOverdue ? "now" : relativeTime(value, now);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the key T does the same
    <time
      dateTime={value}
      // Inside a log or status region, screen readers would announce each change.
      aria-live="off"
      data-exact={isToggled || undefined}
      onMouseEnter={({ currentTarget }) => (currentTarget.title = exactTime(value))}
      onClick={toggleTimes}
    >
      {inFull
        ? `${exactTime(value)} · ${relative}`
        : isToggled
          ? exactTime(value)
          : isExact
            ? minute().format(new Date(value))
            : relative}
    </time>
  );
}
