import { networkOf } from "../../src/common/network";
import { KeyWindows } from "../../src/rate-limits/key-windows";
import { createRateLimit } from "../../src/rate-limits/rate-limit";
import { RejectedTokens } from "../../src/rate-limits/rejected-tokens";
import { countIn, WINDOW_MS, type Window } from "../../src/rate-limits/window";
import fc from "../support/generated";

test("a window allows exactly its limit, and the next window starts from zero", () => {
  const waits = fc.array(fc.integer({ min: 0, max: WINDOW_MS / 2 }), { maxLength: 100 });
  fc.assert(
    fc.property(waits, fc.integer({ min: 1, max: 10 }), (gaps, limit) => {
      let window: Window | undefined;
      let now = 0;
      const allowed = new Map<number, number>();
      for (const gap of gaps) {
        now += gap;
        const decision = countIn(window, limit, now);
        window = decision.window;
        expect(window.endsAt).toBeGreaterThan(now);
        expect(window.endsAt).toBeLessThanOrEqual(now + WINDOW_MS);
        expect(decision.resetSeconds).toBe(Math.ceil((window.endsAt - now) / 1000));
        const used = (allowed.get(window.endsAt) ?? 0) + (decision.allowed ? 1 : 0);
        allowed.set(window.endsAt, used);
        expect(decision.remaining).toBe(limit - used);
        expect(decision.allowed || used === limit).toBe(true);
      }
    }),
  );
});

test("a key is admitted again when its minute is over", () => {
  let now = 0;
  const count = createRateLimit(2, new KeyWindows(undefined, () => now));
  const key = { id: "a", rateLimitPerMinute: null };
  const rejected = () => count(key)?.rejection?.code;
  expect([rejected(), rejected(), rejected()]).toEqual([undefined, undefined, "rate_limited"]);
  now = WINDOW_MS - 1;
  expect(rejected()).toBe("rate_limited");
  expect(count(key)?.headers["ratelimit-reset"]).toBe(1);
  now = WINDOW_MS;
  expect([rejected(), rejected(), rejected()]).toEqual([undefined, undefined, "rate_limited"]);
});

test("an address is admitted again when its minute is over, and only some of many addresses are kept", async () => {
  let now = 0;
  const rejected = new RejectedTokens(2, () => now);
  const guess = (ip: string) =>
    rejected
      .find("hash", ip, async () => undefined)
      .then(
        () => "looked up",
        ({ code }) => code,
      );
  expect([await guess("a"), await guess("a"), await guess("a")]).toEqual([
    "looked up",
    "looked up",
    "too_many_attempts",
  ]);
  now = WINDOW_MS;
  expect(await guess("a")).toBe("looked up");
  for (let i = 0; i < 100_000; i++) await guess(`address ${i}`);
  expect(Object.values(rejected).filter((value) => "size" in Object(value) && value.size > 10_000)).toEqual(
    [],
  );
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::1", "0:0:0:0"],
  ["2001:db8::1", "8193:3512:0:0"],
  ["2001:db8:0:0:ffff:ffff:ffff:ffff", "8193:3512:0:0"],
  ["2001:db8:1::", "8193:3512:1:0"],
  ["fe80::1%eth0", "65152:0:0:0"],
  [null, "null"],
])("the network of %s is %s", (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});
