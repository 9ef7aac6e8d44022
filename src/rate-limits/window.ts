/** How long what is counted counts (ms). */
export const WINDOW_MS = 60_000;

/** What was counted since a window of time began. */
export interface Window {
  used: number;
  /** In the time of whoever counts (ms). */
  endsAt: number;
}

/** What becomes of one more. */
export interface Decision {
  allowed: boolean;
  /** How many more the window takes. */
  remaining: number;
  /** Whole seconds until the window ends, at least one. */
  resetSeconds: number;
  /** What to keep for the next. */
  window: Window;
}

/** Counts one more, as `countMany` does. */
export const countOne = (window: Window | undefined, limit: number, now: number): Decision =>
  countMany(window, limit, now, 1);

/**
 * Counts more in a window of fixed length, which the first in it begins: all of them or, where they do not fit, none.
 * Nothing is kept and no clock is read here.
 * @param window what was kept; undefined for the first ever
 * @param limit most that one window allows
 * @param now ms
 * @param amount how many more
 */
export function countMany(window: Window | undefined, limit: number, now: number, amount: number): Decision {
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

/** Whole seconds from now until then, at least one, as `Retry-After` wants them. */
export const secondsUntil = (then: number, now: number): number =>
  Math.max(1, Math.ceil((then - now) / 1000));
