/** How long to wait after each failed attempt (ms); the last one counts for all further attempts. */
const DELAYS_MS = [5, 30, 120, 600, 1_800, 3_600].map((seconds) => seconds * 1_000);

/** Max random part of a delay, so that messages that failed together do not all come back together. */
const JITTER = 0.2;

/** Min delay that a receiver can ask for (ms). */
const MIN_DELAY_MS = 1_000;

/**
 * How long a message waits after a failed attempt (ms): at least as long as the receiver asks, or as its number of
 * attempts calls for if the receiver does not ask.
 * @param random from 0 to 1
 */
export function retryDelayMs(attempt: number, retryAfterMs?: number, random = Math.random()): number {
  const index = Math.min(attempt, DELAYS_MS.length) - 1;
  const delay =
    retryAfterMs === undefined ? (DELAYS_MS[index] as number) : Math.max(retryAfterMs, MIN_DELAY_MS);
  return Math.round(delay * (1 + JITTER * random));
}
