import { useSyncExternalStore } from "react";
import { whenNeeded } from "./when-needed";

/** The browser's own English, or British English: the words around dates are English. */
export const LOCALE = navigator.languages.find((language) => language.startsWith("en")) ?? "en-GB";

const relative = whenNeeded(() => new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto" }));
const exact = whenNeeded(() => new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "long" }));

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** "3 minutes ago", "in 2 days". */
export function relativeTime(moment: string, now: number): string {
  const seconds = (Date.parse(moment) - now) / 1000;
  const step = STEPS.find(([, length]) => Math.abs(seconds) >= length);
  if (step === undefined) return seconds > 5 ? "in less than a minute" : "just now";
  return relative().format(Math.trunc(seconds / step[1]), step[0]);
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
