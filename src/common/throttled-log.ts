/**
 * Keeps a log line that every request could cause from filling the log: at most one per interval is written.
 * @param now in ms, never going back
 * @returns a function to call before the line is written; it returns how many lines were suppressed since the last
 *   one, or undefined when this one is to be suppressed too
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
