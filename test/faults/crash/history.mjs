/**
 * What was asked of the service and what came back, and what was found to be wrong. A write is
 * `{ kind, api, marker, idempotencyKey, … }`; its `outcome` is "answered" (a success, kept in `answer`),
 * "unavailable" (503) or "unanswered" (the connection ended): after the last two it is unknown whether it was kept.
 */
export function createHistory() {
  const violations = { lost: new Set(), doubled: new Set(), half: new Set(), other: new Set() };
  return {
    writes: [],
    kills: { load: 0, peer: 0, start: 0, birth: 0, database: 0 },
    retries: 0,
    /** Longest time after a kill until every message had been delivered (ms). */
    slowestDeliveryMs: 0,
    violations,
    /** @param sort lost, doubled, half or other. @param what the same text is counted once */
    violate: (sort, what) => violations[sort].add(what),
    get isSound() {
      return Object.values(violations).every((found) => found.size === 0);
    },
  };
}
