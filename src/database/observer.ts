/** Names of the database's own batches; each coalesced lookup adds its own name. */
export const DATABASE_BATCHES = ["reads", "inserts", "transaction"] as const;

/** Kinds of database failures other than violations of business rules. */
export const FAILURES = ["conflict", "unavailable", "unexpected"] as const;
export type Failure = (typeof FAILURES)[number];

/** Receives measurements of the database. It is called on the hot path, so implementations may only count. */
export interface DatabaseObserver {
  /** Called before the first batch with this name. */
  coalesces(what: string): void;
  /** Called when a batch of calls starts. */
  coalesced(what: string, calls: number): void;
  /** Called when a transaction ends, with the time from its start until it was durable or rolled back. */
  transaction(seconds: number): void;
  failed(failure: Failure): void;
}

/** No-op observer. */
export const NO_OBSERVER: DatabaseObserver = {
  coalesces: () => undefined,
  coalesced: () => undefined,
  transaction: () => undefined,
  failed: () => undefined,
};

/** A snapshot of the queues and connections. */
export interface DatabaseStats {
  /** Number of calls waiting for each resource. */
  waiting: { reader?: number; writer?: number; connection?: number; transaction?: number; report?: number };
  /** Pooled connections; undefined if there is no pool. */
  connections?: { idle: number; busy: number };
}
