import { LRUCache } from "lru-cache";
import type { GatewayError } from "../errors";
import { retryAfterError } from "./retry-after";
import { countMany, WINDOW_MS, type Window } from "./window";

/** Max keys with a window; beyond it the least recently used key starts a new one. */
const MAX_KEYS = 10_000;

/** The headers that report the remaining quota of a key. */
export const RATE_LIMIT_HEADERS = [
  "RateLimit-Policy",
  "RateLimit",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
] as const;

/**
 * Counts requests of a key: all of `amount` or, when they exceed the limit, none.
 * @param amount number of requests, 1 by default
 * @returns headers for the answer, and an error when the limit is exceeded
 */
export type RateLimit = (
  keyId: string,
  amount?: number,
) => {
  headers: Record<string, string | number>;
  refusal: GatewayError | undefined;
};

/**
 * Limits the requests of each key in this process. Count existing keys only: unknown ones would evict them.
 * @param perMinute max requests of a key per minute; 0 disables the limit
 * @param clock monotonic time (ms)
 * @returns undefined when the limit is disabled
 */
export function createRateLimit(perMinute: number, clock = () => performance.now()): RateLimit | undefined {
  if (perMinute === 0) return undefined;
  const windows = new LRUCache<string, Window>({ max: MAX_KEYS });
  const policy = `"key";q=${perMinute};w=${WINDOW_MS / 1000}`;
  return (keyId, amount = 1) => {
    const now = clock();
    const counted = countMany(windows.get(keyId), perMinute, now, amount);
    const { allowed, remaining, resetSeconds, window } = counted;
    windows.set(keyId, window);
    return {
      // Two fields of the current draft, and three of earlier drafts that most clients know.
      headers: {
        "ratelimit-policy": policy,
        ratelimit: `"key";r=${remaining};t=${resetSeconds}`,
        "ratelimit-limit": perMinute,
        "ratelimit-remaining": remaining,
        "ratelimit-reset": resetSeconds,
      },
      refusal: allowed
        ? undefined
        : retryAfterError("rate_limited", window.endsAt, now, refusalOf(perMinute, amount)),
    };
  };
}

const refusalOf = (perMinute: number, amount: number): string =>
  amount === 1
    ? `The key may make ${perMinute} requests a minute.`
    : `The key may make ${perMinute} requests a minute, and each field of a mutation counts as one.`;
