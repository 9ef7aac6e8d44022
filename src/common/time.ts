/** ISO 8601 in UTC with milliseconds; both databases store it as text that sorts by time. */
export type Timestamp = string;

export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;
export const DAY_SECONDS = DAY_MS / 1000;

/** The latest valid Timestamp. Later years have more than four digits and would sort before all others. */
export const LAST_MOMENT_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** True if a value from the database or the service itself is a Timestamp. Checks only the format. */
export const isTimestamp = (value: unknown): value is Timestamp =>
  typeof value === "string" &&
  value.length === 24 &&
  value.charCodeAt(23) === 0x5a &&
  value.charCodeAt(10) === 0x54;

/** Converts milliseconds since the epoch to a Timestamp, at most `LAST_MOMENT_MS`. */
export const timestampOf = (ms: number): Timestamp => new Date(Math.min(ms, LAST_MOMENT_MS)).toISOString();

/** Returns the current time, or the time `afterMs` milliseconds from now. */
export const timestamp = (afterMs = 0): Timestamp => timestampOf(Date.now() + afterMs);
