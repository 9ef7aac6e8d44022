import { DAY_MS } from "../../src/common/time";
import { ContactPolicy } from "../../src/features/configuration/document/contact-policy";
import { DAYS } from "../../src/features/configuration/document/policy-format";
import fc from "../support/generated";
import { cases } from "../support/tiers";

/** Windows open and close, and clocks change, at multiples of five minutes. */
const STEP_MS = 5 * 60_000;

/** Zones whose clocks change on a night in 2027: in Chile at midnight, on Lord Howe Island by half an hour. */
const NIGHTS: [zone: string, spring: string, autumn: string][] = [
  ["Europe/Zurich", "2027-03-28", "2027-10-31"],
  ["America/New_York", "2027-03-14", "2027-11-07"],
  ["America/Santiago", "2027-09-05", "2027-04-04"],
  ["Australia/Lord_Howe", "2027-10-03", "2027-04-04"],
  ["Pacific/Chatham", "2027-09-26", "2027-04-04"],
  ["America/St_Johns", "2027-03-14", "2027-11-07"],
];

/** Returns the clock of a zone at each step: the weekday and the time that it shows. */
function clockOf(zone: string, firstMs: number, steps: number): [day: string, minute: number][] {
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone: zone, weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  });
  return Array.from({ length: steps }, (_, i) => {
    const parts = format.formatToParts(firstMs + i * STEP_MS);
    const partOf = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? "";
    return [partOf("weekday").toLowerCase(), Number(partOf("hour")) * 60 + Number(partOf("minute"))];
  });
}

interface Window {
  days: string;
  from: string;
  to: string;
}

const minuteOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
const timeOf = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
const dayBefore = (day: string) => DAYS[((DAYS as readonly string[]).indexOf(day) + 6) % 7] as string;

/** True if a clock shows a time within a window; the window's days are listed one by one. */
function shows([day, minute]: [string, number], { days, from, to }: Window): boolean {
  const [opens, closes] = [minuteOf(from), minuteOf(to)];
  const list = days.split(",");
  if (opens < closes) return list.includes(day) && minute >= opens && minute < closes;
  return (list.includes(day) && minute >= opens) || (list.includes(dayBefore(day)) && minute < closes);
}

const MINUTES = 24 * 60;
const somewhere = fc.oneof(fc.nat(MINUTES / 5 - 1), fc.nat(59)).map((fifth) => fifth * 5);
const window = fc
  .record({
    days: fc.subarray([...DAYS], { minLength: 1 }),
    from: somewhere,
    minutes: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: MINUTES / 5 - 1 })),
  })
  .map(({ days, from, minutes }): Window => {
    return { days: days.join(","), from: timeOf(from), to: timeOf((from + minutes * 5) % MINUTES) };
  });

test.each(NIGHTS.flatMap(([zone, ...nights]) => nights.map((night) => [zone, night] as const)))(
  "in %s around %s, the next opening is the first minute at which the clock shows a time in a window",
  (zone, night) => {
    const firstMs = Date.parse(`${night}T00:00:00Z`) - 2 * DAY_MS;
    const clock = clockOf(zone, firstMs, (18 * DAY_MS) / STEP_MS);
    fc.assert(
      fc.property(
        fc.array(window, { minLength: 1, maxLength: 3 }),
        fc.nat(4 * DAY_MS - 1),
        (windows, afterMs) => {
          const step = Math.floor(afterMs / STEP_MS);
          const next = clock.findIndex(
            (shown, i) => i >= step && windows.some((window) => shows(shown, window)),
          );
          const until = next === step ? undefined : new Date(firstMs + next * STEP_MS).toISOString();
          const at = new Date(firstMs + afterMs).toISOString();
          expect(new ContactPolicy({ windows }).closedUntil(zone, at)?.until).toBe(until);
        },
      ),
      { numRuns: cases(300) },
    );
  },
);

describe("windows", () => {
  const closedUntil = (windows: Window[], at: string, timezone: string | null = "Europe/Zurich", more = {}) =>
    new ContactPolicy({ windows, ...more }).closedUntil(timezone, at);
  const DAYTIME = [
    { days: "mon-fri", from: "08:00", to: "20:00" },
    { days: "sat", from: "10:00", to: "16:00" },
  ];

  test.each([
    ["before the first one opens", "2026-12-01T06:59:59.999Z", "2026-12-01T07:00:00.000Z", 0],
    ["as it opens", "2026-12-01T07:00:00.000Z", undefined, 0],
    ["before it closes", "2026-12-01T18:59:59.999Z", undefined, 0],
    ["as it closes", "2026-12-01T19:00:00.000Z", "2026-12-02T07:00:00.000Z", 0],
    ["on Friday night", "2026-12-04T21:00:00.000Z", "2026-12-05T09:00:00.000Z", 1],
    ["at the weekend", "2026-12-05T15:00:00.000Z", "2026-12-07T07:00:00.000Z", 0],
  ])("%s", (_, at, until, index) => {
    const expected = until === undefined ? undefined : { until, path: `policy.windows[${index}]` };
    expect(closedUntil(DAYTIME, at)).toEqual(expected);
  });

  test.each([
    ["a window over midnight ends on the next day", "fri", "2026-12-05T01:00:00Z", undefined],
    ["the next day need not be one of its days", "thu", "2026-12-05T01:00:00Z", "2026-12-10T21:00:00.000Z"],
    ["a range may span the end of the week", "fri-mon", "2026-12-08T00:00:00Z", undefined],
    ["a list has days and ranges", "tue,thu-fri", "2026-12-06T12:00:00Z", "2026-12-08T21:00:00.000Z"],
  ])("%s", (_, days, at, until) => {
    expect(closedUntil([{ days, from: "22:00", to: "04:00" }], at)?.until).toBe(until);
  });

  test.each([
    [
      "a window that starts at a skipped time opens at the first time after it",
      "2027-03-28T00:30:00Z",
      "02:30",
      "06:00",
      "2027-03-28T01:00:00.000Z",
    ],
    [
      "a wholly skipped window opens a week later",
      "2027-03-28T00:30:00Z",
      "02:15",
      "02:45",
      "2027-04-04T00:15:00.000Z",
    ],
    ["windows shown twice open twice", "2027-10-31T00:45:00Z", "02:15", "02:45", "2027-10-31T01:15:00.000Z"],
  ])("%s", (_, at, from, to, until) => {
    expect(closedUntil([{ days: "sun", from, to }], at)?.until).toBe(until);
  });

  test.each([
    ["null", null, { zone: "Asia/Tokyo" }, "2026-11-30T23:00:00.000Z"],
    ["unknown", "No/Where", { zone: "Asia/Tokyo" }, "2026-11-30T23:00:00.000Z"],
    ["an offset", "+05:30", { zone: "Asia/Tokyo" }, "2026-12-01T02:30:00.000Z"],
    ["null, without a zone in the policy", null, {}, "2026-12-01T08:00:00.000Z"],
  ])("a contact whose zone is %s", (_, timezone, more, until) => {
    const windows = [{ days: "tue", from: "08:00", to: "08:01" }];
    expect(closedUntil(windows, "2026-11-30T20:00:00.000Z", timezone, more)?.until).toBe(until);
  });
});
