/** Max queued messages of a conversation. */
export const MAX_QUEUED = 500;
