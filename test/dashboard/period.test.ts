import { periodOf } from "../../src/dashboard/ui/period";

const MINUTE_MS = 60_000;

test("the start of a recent period moves with the time, in steps of at most 5 minutes", () => {
  const noon = Date.parse("2026-03-02T12:00:00Z");
  const sinceAt = (minutes: number) => periodOf("1", "", "", noon + minutes * MINUTE_MS).since;
  expect(sinceAt(0)).toBe("2026-03-01T12:00:00.000Z");
  expect(sinceAt(4.9)).toBe(sinceAt(0));
  expect(sinceAt(5)).toBe("2026-03-01T12:05:00.000Z");
  expect(sinceAt(24 * 60)).toBe("2026-03-02T12:00:00.000Z");
});
