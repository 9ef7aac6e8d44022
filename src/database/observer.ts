/** What the database itself combines calls into; features add the names of their lookups. */
export const DATABASE_BATCHES = ["reads", "inserts", "transaction"] as const;

/** How work on the database failed other than by a rule of the service. */
export const FAILURES = ["conflict", "unavailable", "unexpected"] as const;
export type Failure = (typeof FAILURES)[number];

/** Is told how the database does. Called on the path of every request, so it must do no more than count. */
export interface DatabaseObserver {
  /** Calls became one. */
  joined(what: string, calls: number): void;
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
