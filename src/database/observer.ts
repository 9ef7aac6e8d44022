/** What several calls were joined into: one query of lookups or for reads, one statement of inserts, one transaction. */
export const BATCH_KINDS = [
  "keys",
  "sessions",
  "agents",
  "pets",
  "pages",
  "reads",
  "inserts",
  "transaction",
] as const;
export type BatchKind = (typeof BATCH_KINDS)[number];

/** How work on the database failed other than by a rule of the service. */
export const FAILURES = ["conflict", "unavailable", "unexpected"] as const;
export type Failure = (typeof FAILURES)[number];

/** Is told how the database does. Called on the path of every request, so it must do no more than count. */
export interface DatabaseObserver {
  /** Calls became one. */
  joined(what: BatchKind, calls: number): void;
  /** A transaction ended. @param seconds from its begin until it was durable, or taken back */
  transaction(seconds: number): void;
  failed(failure: Failure): void;
}

/** For whoever does not want to know. */
export const NO_OBSERVER: DatabaseObserver = {
  joined: () => undefined,
  transaction: () => undefined,
  failed: () => undefined,
};

/** How busy the way to the rows is at this moment. */
export interface DatabaseStats {
  /** How many wait, by what they wait for. */
  waiting: { reader?: number; writer?: number; connection?: number; transaction?: number; report?: number };
  /** Connections, where there is a pool of them. */
  connections?: { idle: number; busy: number };
}
