/** Max extra event-loop ticks to wait while calls keep arriving. */
const MAX_EXTRA_TICKS = 2;

/**
 * Starts a batch at the end of this event-loop tick, or up to two ticks later while calls keep arriving, so that they
 * can join it.
 * @param received returns the number of calls that have arrived so far
 */
export function onceQuiet(received: () => number, start: () => void, extraTicks = MAX_EXTRA_TICKS): void {
  const seen = received();
  setImmediate(() => {
    if (received() > seen && extraTicks > 0) onceQuiet(received, start, extraTicks - 1);
    else start();
  });
}
