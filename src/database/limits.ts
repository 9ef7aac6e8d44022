/** Max wait times (ms), the same for all work. */
export const WAITS = {
  /** For a free or new PostgreSQL connection. */
  connection: 2_000,
  /** For another SQLite writer. */
  writer: 5_000,
  /**
   * For the next statement of a PostgreSQL transaction, so that the locks of a disconnected process are
   * released.
   */
  nextStatement: 5_000,
};

/** Timeouts (ms). */
export interface Limits {
  /** For the whole call, including the wait for a connection. */
  call: number;
  /**
   * For one statement; shorter than `call`, so that the database usually cancels the statement and frees its locks. 0
   * for no limit.
   */
  statement: number;
}

/** For work that requests wait for; short, so that an unresponsive database cannot block requests. */
export const SERVING: Limits = { call: 4_000, statement: 3_000 };

/** For message delivery, which must end before its leases expire. */
export const DELIVERING: Limits = { call: 20_000, statement: 10_000 };

/** For work that no request waits for: housekeeping, the command line. */
export const BACKGROUND: Limits = { call: 600_000, statement: 30_000 };

/** For migrations, whose statements may change every row of a large table, and for processes that wait for them. */
export const MIGRATING: Limits = { call: 24 * 3_600_000, statement: 0 };
