import { useSyncExternalStore } from "react";
import { whenNeeded } from "./when-needed";

/** The browser's own English, or British English: the words around dates are English. */
export const LOCALE = navigator.languages.find((language) => language.startsWith("en")) ?? "en-GB";

const relative = whenNeeded(() => new Intl.RelativeTimeFormat(LOCALE));
const exact = whenNeeded(() => new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "long" }));

/** Units by their seconds, each from so many on that it says enough: not "next month" of what ends in 30 days. */
const STEPS: readonly { unit: Intl.RelativeTimeFormatUnit; length: number; from: number }[] = [
  { unit: "year", length: 365 * 86_400, from: 1 },
  { unit: "month", length: 30 * 86_400, from: 2 },
  { unit: "day", length: 86_400, from: 2 },
  { unit: "hour", length: 3_600, from: 1 },
];
const MINUTE = { unit: "minute", length: 60 } as const;

/** "3 minutes ago", "in 2 days": what is to come counts by minutes begun, so that a week begins as "in 7 days". */
function relativeTime(moment: string, now: number): string {
  const seconds = (Date.parse(moment) - now) / 1000;
  if (Math.abs(seconds) < 60) return seconds > 5 ? "in less than a minute" : "just now";
  const counted = seconds > 0 ? Math.ceil(seconds / 60) * 60 : seconds;
  const { unit, length } = STEPS.find((step) => Math.abs(counted) >= step.from * step.length) ?? MINUTE;
  return relative().format(Math.trunc(counted / length), unit);
}

/** To the second, in the browser's time zone, which it names. */
export const exactTime = (moment: string): string => exact().format(new Date(moment));

/** The browser's time zone, with what it is ahead of UTC now. */
export function timeZone(): string {
  const { timeZone: name } = Intl.DateTimeFormat().resolvedOptions();
  const offset = new Intl.DateTimeFormat("en", { timeZoneName: "longOffset" })
    .formatToParts()
    .find(({ type }) => type === "timeZoneName")?.value;
  return offset === undefined || name === "UTC" ? name : `${name} (${offset.replace("GMT", "UTC")})`;
}

const TICK_MS = 15_000;
const subscribe = (listener: () => void) => {
  const timer = setInterval(listener, TICK_MS);
  return () => clearInterval(timer);
};

/** A moment, relative to now; the exact time shows on hovering, and programs read it. */
export function Time({ value }: { value: string }) {
  useSyncExternalStore(subscribe, () => Math.floor(Date.now() / TICK_MS));
  return (
    <time dateTime={value} title={exactTime(value)}>
      {relativeTime(value, Date.now())}
    </time>
  );
}
