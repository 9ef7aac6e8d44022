import { logThrottle } from "../../src/common/throttled-log";

test("one line per interval is written, with the number of lines suppressed since the last one", () => {
  let now = 0;
  const throttle = logThrottle(100, () => now);
  const at = (time: number) => {
    now = time;
    return throttle();
  };
  expect([at(0), at(1), at(99), at(100), at(150), at(199), at(500), at(600)]).toEqual([
    0,
    undefined,
    undefined,
    2,
    undefined,
    undefined,
    2,
    0,
  ]);
});
