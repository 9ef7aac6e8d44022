import { reportCounts } from "../../src/rate-limits/count-reports";
import { type KeyCount, KeyWindows } from "../../src/rate-limits/key-windows";
import { WINDOW_MS } from "../../src/rate-limits/window";
import fc from "../support/generated";

const LIMIT = 100;

/**
 * Creates processes that share the windows of their keys, with one clock; reports arrive when the test delivers them.
 */
function share(processes: number) {
  const clock = { now: 0 };
  const now = () => clock.now;
  const onTheWay: { from: number; counts: KeyCount[] }[] = [];
  const windows = Array.from(
    { length: processes },
    (_, from) =>
      new KeyWindows(
        reportCounts(processes, (counts) => onTheWay.push({ from, counts }), now),
        now,
      ),
  );
  const deliver = () => {
    for (const { from, counts } of onTheWay.splice(0))
      windows.forEach((other, to) => {
        if (to !== from) other.add(counts);
      });
  };
  const count = (process: number) => windows[process]?.count("key", LIMIT, 1).allowed ?? false;
  return { clock, windows, deliver, count };
}

test("processes allow a key its limit, and less than half of it beyond that before their next regular reports", () => {
  const order = fc.array(fc.nat({ max: 3 }), { minLength: 4 * LIMIT, maxLength: 4 * LIMIT });
  fc.assert(
    fc.property(order, (requests) => {
      const { deliver, count } = share(4);
      let allowed = 0;
      for (const process of requests) {
        if (count(process)) allowed++;
        deliver();
      }
      expect(allowed).toBeGreaterThanOrEqual(LIMIT);
      expect(allowed).toBeLessThan(1.5 * LIMIT);
    }),
  );
});

test("a single process allows a key its whole limit, and no more if it learns late that its window has ended", () => {
  const { clock, windows, deliver, count } = share(2);
  for (let i = 0; i < LIMIT; i++) expect(count(0)).toBe(true);
  expect(count(0)).toBe(false);
  deliver();
  expect(count(1)).toBe(false);
  clock.now = WINDOW_MS;
  expect(count(0)).toBe(true);
  // A report about the window that has just ended.
  windows[0]?.add([["key", 50, 5]]);
  for (let i = 1; i < LIMIT; i++) expect(count(0)).toBe(true);
  clock.now = WINDOW_MS + 10;
  expect(count(0)).toBe(false);
});

test("a process learns of a window that follows the one it knows", () => {
  const { clock, windows, deliver, count } = share(2);
  expect(count(0)).toBe(true);
  windows[1]?.add([["key", LIMIT, 10]]);
  expect(count(1)).toBe(false);
  deliver();
  windows[1]?.add([["key", LIMIT, WINDOW_MS]]);
  clock.now = 11;
  expect(count(1)).toBe(false);
});

test("a starting process learns the earlier counts", () => {
  const { clock, windows, deliver, count } = share(2);
  for (let i = 0; i < LIMIT; i++) count(0);
  deliver();
  clock.now = WINDOW_MS / 2;
  const late = new KeyWindows(undefined, () => clock.now);
  late.add(windows[1]?.list() ?? []);
  expect(late.count("key", LIMIT, 1)).toMatchObject({ allowed: false, resetSeconds: 30 });
  clock.now = WINDOW_MS;
  expect(windows[1]?.list()).toEqual([]);
  expect(late.count("key", LIMIT, 1).allowed).toBe(true);
});
