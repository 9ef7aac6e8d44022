/** How long things may take (ms). */
export interface Limits {
  /** All that one caller asks for, waiting for a connection included. */
  call: number;
  /** One statement: less, so that usually the database ends it and frees its locks itself. */
  statement: number;
}

/** What requests wait for fails in time, so that a database that says nothing holds nobody up. */
export const SERVING: Limits = { call: 4_000, statement: 3_000 };

/** For what no request waits for: migrations, housekeeping, the command line. */
export const BACKGROUND: Limits = { call: 600_000, statement: 30_000 };
