const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const DAY_MS = 24 * HOUR_MS;

/** Zones whose clocks change twice a year; Chile’s change at midnight, and Lord Howe’s by half an hour. */
export const ZONES = [
  "Europe/Zurich",
  "America/New_York",
  "America/Santiago",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "America/St_Johns",
];

const FIRST_YEAR = 2027;

/** Many windows are at night, when clocks change. */
export const WINDOWS = [
  { days: "sun-sat", from: "23:30", to: "00:20" },
  { days: "sun-sat", from: "00:45", to: "01:20" },
  { days: "sun-sat", from: "02:15", to: "02:45" },
  { days: "sun-sat", from: "03:10", to: "03:40" },
  { days: "mon-fri", from: "08:00", to: "20:00" },
];

const formats = new Map();

function shownBy(zone, ms) {
  let format = formats.get(zone);
  if (format === undefined) {
    const parts = { weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
    format = new Intl.DateTimeFormat("en-US", { timeZone: zone, ...parts });
    formats.set(zone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  return { day: parts.weekday.toLowerCase(), time: `${parts.hour}:${parts.minute}` };
}

/** True if the clocks of a zone show a time in a window; independent of the service's code. */
export function isOpen(zone, ms) {
  const { day, time } = shownBy(zone, ms);
  return WINDOWS.some(({ days, from, to }) => {
    const isWeekday = day !== "sat" && day !== "sun";
    if (from > to) return time >= from || time < to;
    return (days === "sun-sat" || isWeekday) && time >= from && time < to;
  });
}

/** True if a zone's window opens or closes at the given time. */
export const isChange = (zone, ms) => isOpen(zone, ms) !== isOpen(zone, ms - MINUTE_MS);

/** Returns the middays in UTC near the times when the clocks of a zone change in a year. */
function changesOfClocks(zone, year) {
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
  const offsetAt = (ms) => format.formatToParts(ms).find(({ type }) => type === "timeZoneName").value;
  const days = Array.from({ length: 365 }, (_, i) => Date.UTC(year, 0, 1, 12) + i * DAY_MS);
  return days.filter((ms) => offsetAt(ms - DAY_MS / 2) !== offsetAt(ms + DAY_MS / 2));
}

/**
 * Returns the times when windows open or close around the nights when clocks change, in order.
 * @param count min number of times
 */
export function changes(count) {
  const found = new Set();
  for (let year = FIRST_YEAR; found.size < count; year++)
    for (const zone of ZONES)
      for (const midday of changesOfClocks(zone, year))
        for (let ms = midday - 26 * HOUR_MS; ms < midday + 14 * HOUR_MS; ms += MINUTE_MS)
          if (isChange(zone, ms)) found.add(ms);
  return [...found].sort((a, b) => a - b);
}
