import { DAY_MS, HOUR_MS } from "../../common/time";

/** Delay after each failed attempt (ms); the delivery is abandoned when the attempt after the last delay fails. */
const DELAYS_MS = [
  ...[5, 60, 300, 1_800].map((seconds) => seconds * 1_000),
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];

/** Max attempts per delivery. */
export const MAX_ATTEMPTS = DELAYS_MS.length + 1;

/**
 * Max random extra delay, as a fraction of the delay, so that deliveries that failed together are not retried together.
 */
const JITTER = 0.1;

/** The longest delay that an endpoint can request (ms). */
const MAX_RETRY_AFTER_MS = DAY_MS;

/** Returns the delay (ms) before the next attempt, longer if the endpoint requests it; undefined after the last. */
export function redeliveryDelayMs(
  attempt: number,
  retryAfterMs = 0,
  random = Math.random(),
): number | undefined {
  const delay = DELAYS_MS[attempt - 1];
  if (delay === undefined) return undefined;
  return Math.round(Math.max(delay, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)) * (1 + JITTER * random));
}
