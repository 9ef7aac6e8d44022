import { periodOf } from "../../src/dashboard/ui/period";

const MINUTE_MS = 60_000;

/** Sets the process's time zone; undefined restores the machine's. */
declare const setTimeZone: (zone: string | undefined) => void;

afterEach(() => setTimeZone(process.env.TZ));

test("the start of a recent period moves with the time, in steps of at most 5 minutes", () => {
  const noon = Date.parse("2026-03-02T12:00:00Z");
  const sinceAt = (minutes: number) => periodOf("1", "", "", noon + minutes * MINUTE_MS).since;
  expect(sinceAt(0)).toBe("2026-03-01T12:00:00.000Z");
  expect(sinceAt(4.9)).toBe(sinceAt(0));
  expect(sinceAt(5)).toBe("2026-03-01T12:05:00.000Z");
  expect(sinceAt(24 * 60)).toBe("2026-03-02T12:00:00.000Z");
});

test.each([
  ["America/Santiago", "2026-09-06", "2026-09-06T04:00:00.000Z", "2026-09-07T03:00:00.000Z"],
  ["America/Nuuk", "2026-03-28", "2026-03-28T02:00:00.000Z", "2026-03-29T01:00:00.000Z"],
  ["Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"],
])("in %s, a day ends where the next starts, even %s, whose clocks change", (zone, day, since, until) => {
  setTimeZone(zone);
  expect(periodOf("dates", day, day)).toEqual({ since, until });
  const days = Array.from({ length: 366 }, (_, i) =>
    new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
  );
  const periods = days.map((each) => periodOf("dates", each, each));
  expect(periods.slice(0, -1).map((each) => each.until)).toEqual(periods.slice(1).map((each) => each.since));
});
