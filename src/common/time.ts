/** A moment as ISO 8601 in UTC with milliseconds, which both databases keep as text and sort by time. */
export type Timestamp = string;

/** The last moment that a Timestamp can tell: later years are spelled longer and would sort before all others. */
export const LAST_MOMENT_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A moment given in milliseconds, but none that sorts wrongly. */
export const timestampOf = (ms: number): Timestamp => new Date(Math.min(ms, LAST_MOMENT_MS)).toISOString();

/** The moment now, or `afterMs` milliseconds from now. */
export const timestamp = (afterMs = 0): Timestamp => timestampOf(Date.now() + afterMs);
