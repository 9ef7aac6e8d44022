import { roundUp } from "../../src/dashboard/ui/round-up";

test.each([0, 1, 4, 5, 7, 10, 11, 45, 101, 499, 5_001])(
  "the axis of a chart ends at %d or higher, and its middle is a whole number, as requests are",
  (highest) => {
    expect(roundUp(highest)).toBeGreaterThanOrEqual(highest);
    expect(Number.isInteger(roundUp(highest) / 2)).toBe(true);
  },
);
