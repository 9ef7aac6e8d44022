const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Zones with nights in which their clocks change. */
export const NIGHTS = {
  "Europe/Zurich": ["2027-03-28", "2027-10-31"],
  "America/New_York": ["2027-03-14", "2027-11-07"],
  "America/Santiago": ["2027-04-04", "2027-09-05"],
  "Australia/Lord_Howe": ["2027-04-04", "2027-10-03"],
  "Pacific/Chatham": ["2027-04-04", "2027-09-26"],
  "America/St_Johns": ["2027-03-14", "2027-11-07"],
};

/** Many of them at night, when clocks change. */
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

/** True if the clocks of a zone show a time in a window; written apart from the service. */
export function isOpen(zone, ms) {
  const { day, time } = shownBy(zone, ms);
  return WINDOWS.some(({ days, from, to }) => {
    const isWeekday = day !== "sat" && day !== "sun";
    if (from > to) return time >= from || time < to;
    return (days === "sun-sat" || isWeekday) && time >= from && time < to;
  });
}

/** The times around the nights at which windows open or close, in order. */
export function changes() {
  const found = new Set();
  for (const [zone, nights] of Object.entries(NIGHTS))
    for (const night of nights) {
      const midday = Date.parse(`${night}T12:00:00Z`);
      for (let ms = midday - 26 * HOUR_MS; ms < midday + 14 * HOUR_MS; ms += MINUTE_MS)
        if (isOpen(zone, ms) !== isOpen(zone, ms - MINUTE_MS)) found.add(ms);
    }
  return [...found].sort((a, b) => a - b);
}
