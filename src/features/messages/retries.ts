/** Delay after each failed attempt (ms); the last one applies to all further attempts. */
const DELAYS_MS = [5, 30, 120, 600, 1_800, 3_600].map((seconds) => seconds * 1_000);

/** Max random extra delay, as a fraction, so that messages that failed together are not retried together. */
const JITTER = 0.2;

/** Min delay that a receiver can request (ms). */
const MIN_DELAY_MS = 1_000;

/** Max delays per message that a receiver can shorten, lest an outage cause an attempt a second. */
const MAX_SHORTENED = 3;

/**
 * Returns the delay before a retry (ms): as the receiver requested, or the default for the number of attempts.
 * A request can shorten the delay only after the first attempts.
 * @param retryAfterMs the requested delay; 0 if nothing was sent, for the shortest delay
 * @param random from 0 to 1
 */
export function retryDelayMs(attempt: number, retryAfterMs?: number, random = Math.random()): number {
  const usual = DELAYS_MS[Math.min(attempt, DELAYS_MS.length) - 1] as number;
  const min = retryAfterMs === 0 || attempt <= MAX_SHORTENED ? MIN_DELAY_MS : usual;
  const delay = retryAfterMs === undefined ? usual : Math.max(retryAfterMs, min);
  return Math.round(delay * (1 + JITTER * random));
}
