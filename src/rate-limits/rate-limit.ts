import type { GatewayError } from "../errors";
import { KeyWindows } from "./key-windows";
import { retryAfterError } from "./retry-after";
import { WINDOW_MS } from "./window";

/** The headers that report the remaining quota of a key. */
export const RATE_LIMIT_HEADERS = [
  "RateLimit-Policy",
  "RateLimit",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
] as const;

export interface LimitedKey {
  id: string;
  /** Max requests per minute; null if the server's limit applies. */
  rateLimitPerMinute: number | null;
}

/**
 * Counts requests against a key's limit, or none of them if they would exceed it.
 * @returns headers for the response, and an error if the limit is exceeded; undefined for a key without a limit
 */
export type RateLimit = (
  key: LimitedKey,
  amount?: number,
) =>
  | {
      headers: Record<string, string | number>;
      rejection: GatewayError | undefined;
    }
  | undefined;

/**
 * Limits the requests made with each key. Count only existing keys, because unknown keys would evict them.
 * @param serverLimit max requests per minute of a key without its own limit; 0 for no limit
 */
export function createRateLimit(serverLimit: number, windows = new KeyWindows()): RateLimit {
  return ({ id, rateLimitPerMinute }, amount = 1) => {
    const perMinute = rateLimitPerMinute ?? serverLimit;
    if (perMinute === 0) return undefined;
    const { allowed, remaining, resetSeconds, window } = windows.count(id, perMinute, amount);
    return {
      // Two fields from the current draft, and three from earlier drafts, which most clients know.
      headers: {
        "ratelimit-policy": `"key";q=${perMinute};w=${WINDOW_MS / 1000}`,
        ratelimit: `"key";r=${remaining};t=${resetSeconds}`,
        "ratelimit-limit": perMinute,
        "ratelimit-remaining": remaining,
        "ratelimit-reset": resetSeconds,
      },
      rejection: allowed
        ? undefined
        : retryAfterError("rate_limited", window.endsAt, windows.now(), rejectionOf(perMinute, amount)),
    };
  };
}

const rejectionOf = (perMinute: number, amount: number): string =>
  amount === 1
    ? `The key can make at most ${perMinute} requests per minute.`
    : `The key can make at most ${perMinute} requests per minute, and each field of a mutation counts as one request.`;
