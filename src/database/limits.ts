/** Max wait times (ms), the same for all work. */
export const WAITS = {
  /** Max wait for a free or new PostgreSQL connection. */
  connection: 2_000,
  /** Max wait for another SQLite writer. */
  writer: 5_000,
  /** Max time between two statements of a transaction, so that a disconnected process's locks are released. */
  nextStatement: 5_000,
};

/** Timeouts (ms). */
export interface Limits {
  /** Max duration of a whole call, including the wait for a connection. */
  call: number;
  /** Max duration of one statement, 0 for no limit; below `call`, so that the database cancels it and frees locks. */
  statement: number;
}

/** Limits for work that requests wait for; short, so that an unresponsive database cannot block requests. */
export const SERVING: Limits = { call: 4_000, statement: 3_000 };

/** Limits for message delivery, which must end before its leases expire. */
export const DELIVERING: Limits = { call: 20_000, statement: 10_000 };

/** Limits for work that no request waits for: housekeeping and the command line. */
export const BACKGROUND: Limits = { call: 600_000, statement: 30_000 };

/** Limits for migrations, which may change every row of a large table, and for processes that wait for them. */
export const MIGRATING: Limits = { call: 24 * 3_600_000, statement: 0 };
