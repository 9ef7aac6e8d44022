/** A moment as ISO 8601 in UTC with milliseconds, which both databases keep as text and sort by time. */
export type Timestamp = string;

/** The moment now, or `afterMs` milliseconds from now. */
export const timestamp = (afterMs = 0): Timestamp => new Date(Date.now() + afterMs).toISOString();
