/** Delay after each failed attempt (ms); the last one applies to all further attempts. */
const DELAYS_MS = [5, 30, 120, 600, 1_800, 3_600].map((seconds) => seconds * 1_000);

/**
 * Max random extra delay, as a fraction of the delay, so that messages that fail together are not all retried together.
 */
const JITTER = 0.2;

/** Min delay that a receiver can request (ms). */
const MIN_DELAY_MS = 1_000;

/**
 * Returns the delay of a message after a failed attempt (ms): at least the delay that the receiver requested or, without
 * a request, the delay for the number of attempts.
 * @param random from 0 to 1
 */
export function retryDelayMs(attempt: number, retryAfterMs?: number, random = Math.random()): number {
  const index = Math.min(attempt, DELAYS_MS.length) - 1;
  const delay =
    retryAfterMs === undefined ? (DELAYS_MS[index] as number) : Math.max(retryAfterMs, MIN_DELAY_MS);
  return Math.round(delay * (1 + JITTER * random));
}
