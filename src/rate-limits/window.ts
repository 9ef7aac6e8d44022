/** Length of a window (ms). */
export const WINDOW_MS = 60_000;

/** A fixed time window and its count. */
export interface Window {
  used: number;
  /** Time when the window ends, on the caller's clock (ms). */
  endsAt: number;
}

/** The result of counting requests in a window. */
export interface Decision {
  allowed: boolean;
  /** The amount that can still be counted in the window. */
  remaining: number;
  /** Whole seconds until the window ends, at least one. */
  resetSeconds: number;
  /** The window to pass to the next call. */
  window: Window;
}

/**
 * Adds `amount` to the count of a fixed window, which starts with its first call; if the limit would be
 * exceeded, the count remains unchanged. This is a pure function.
 * @param window the window returned by the last call; undefined for the first call
 * @param limit max count per window
 * @param now current time (ms)
 */
export function countIn(window: Window | undefined, limit: number, now: number, amount = 1): Decision {
  const current = window !== undefined && now < window.endsAt ? window : { used: 0, endsAt: now + WINDOW_MS };
  const allowed = current.used + amount <= limit;
  const used = allowed ? current.used + amount : current.used;
  return {
    allowed,
    remaining: Math.max(0, limit - used),
    resetSeconds: secondsUntil(current.endsAt, now),
    window: { used, endsAt: current.endsAt },
  };
}

/** Returns the value of `Retry-After` for a time: whole seconds, at least one. */
export const secondsUntil = (then: number, now: number): number =>
  Math.max(1, Math.ceil((then - now) / 1000));
