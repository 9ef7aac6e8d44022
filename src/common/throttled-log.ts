/**
 * Throttles a log line to one per interval, because any request could trigger it.
 * @param now a monotonic clock (ms)
 * @returns a function to call before logging; it returns the number of lines suppressed since the last logged line, or
 *   undefined if this line must be suppressed
 */
export function logThrottle(intervalMs: number, now = () => performance.now()): () => number | undefined {
  let writtenAt = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  return () => {
    const time = now();
    if (time - writtenAt < intervalMs) {
      suppressed++;
      return undefined;
    }
    const before = suppressed;
    writtenAt = time;
    suppressed = 0;
    return before;
  };
}
