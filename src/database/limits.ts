/** Timeouts (ms). */
export interface Limits {
  /** For a whole call, including the wait for a connection. */
  call: number;
  /** For one statement: less than `call`, so that usually the database itself cancels it and frees its locks. */
  statement: number;
}

/** For work that requests wait for; short, so that an unresponsive database cannot block them. */
export const SERVING: Limits = { call: 4_000, statement: 3_000 };

/** For the delivery of messages: it must end while the leases that it takes are valid. */
export const DELIVERING: Limits = { call: 20_000, statement: 10_000 };

/** For work that no request waits for: migrations, housekeeping, the command line. */
export const BACKGROUND: Limits = { call: 600_000, statement: 30_000 };
