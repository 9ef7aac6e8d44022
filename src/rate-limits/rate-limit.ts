import { LRUCache } from "lru-cache";
import type { GatewayError } from "../errors";
import { refuseUntil } from "./retry-after";
import { countMany, WINDOW_MS, type Window } from "./window";

/** Beyond this many keys in use at once the one that was quiet longest begins anew. */
const MAX_KEYS = 10_000;

/** Names of the headers that tell a key how much it has left. */
export const RATE_LIMIT_HEADERS = [
  "RateLimit-Policy",
  "RateLimit",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
] as const;

/**
 * Counts requests of a key, one unless an amount is given: all of them or, where they are too many, none.
 * @returns headers for the answer, and the refusal when they were too many
 */
export type RateLimit = (
  keyId: string,
  amount?: number,
) => {
  headers: Record<string, string | number>;
  refusal: GatewayError | undefined;
};

/**
 * Limits how often each key may call in this process. Only keys that were found may be counted: made-up ones would
 * push others out.
 * @param perMinute most requests of a key in a minute; 0 is no limit
 * @param clock ms, never going back
 * @returns undefined for no limit
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
      // The present draft's two fields, and the three of its earlier versions that most clients know.
      headers: {
        "ratelimit-policy": policy,
        ratelimit: `"key";r=${remaining};t=${resetSeconds}`,
        "ratelimit-limit": perMinute,
        "ratelimit-remaining": remaining,
        "ratelimit-reset": resetSeconds,
      },
      refusal: allowed
        ? undefined
        : refuseUntil("rate_limited", window.endsAt, now, refusalOf(perMinute, amount)),
    };
  };
}

const refusalOf = (perMinute: number, amount: number): string =>
  amount === 1
    ? `The key may make ${perMinute} requests a minute.`
    : `The key may make ${perMinute} requests a minute, and each field of a mutation counts as one.`;
