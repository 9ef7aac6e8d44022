/** Max queued messages per conversation. */
export const MAX_QUEUED = 500;
