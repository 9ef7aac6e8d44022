/**
 * Records the requests to the service, its responses, and the faults that were found. A write is
 * `{ kind, api, marker, idempotencyKey, … }`; its `outcome` is "answered" (a success, kept in `answer`),
 * "unavailable" (503) or "unanswered" (the connection ended). After the last two, the write may or may not be stored.
 */
export function createHistory() {
  const violations = { lost: new Set(), doubled: new Set(), half: new Set(), other: new Set() };
  return {
    writes: [],
    kills: { load: 0, peer: 0, start: 0, birth: 0, database: 0 },
    retries: 0,
    /** The conversations whose messages are sent to webhook receivers, where each may take several attempts. */
    toWebhooks: new Set(),
    /** Number of events at the end. */
    events: 0,
    /** The events that a webhook endpoint got. */
    endpoint: { events: 0, requests: 0, repeats: 0 },
    /** Messages to webhook receivers. */
    sends: {
      kills: { load: 0, both: 0, database: 0, freeze: 0 },
      messages: 0,
      requests: 0,
      repeats: 0,
      /** Messages that failed because their line sends nothing twice. */
      uncertain: 0,
      takeovers: 0,
      slowestTakeoverMs: 0,
    },
    /** Longest time after a kill until every message had been delivered (ms). */
    slowestDeliveryMs: 0,
    violations,
    /**
     * @param sort `lost`, `doubled`, `half` or `other`
     * @param what a description; equal descriptions are counted once
     */
    violate: (sort, what) => violations[sort].add(what),
    get isSound() {
      return Object.values(violations).every((found) => found.size === 0);
    },
  };
}
