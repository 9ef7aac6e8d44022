/** Max length of a message (code points). */
export const MESSAGE_TEXT_MAX_LENGTH = 10_000;

/** Max length of the reason for discarding a proposed message (code points). */
export const DISCARD_REASON_MAX_LENGTH = 500;

/** Max length of a message's HTML (code points). */
export const MESSAGE_HTML_MAX_LENGTH = 40_000;

/** Placeholder for unsubscribe links in stored texts, so that reading a message does not reveal its link. */
export const UNSUBSCRIBE_URL = "{{ unsubscribeUrl }}";

/** Max time between accepting and queuing a scheduled message (days). */
export const MAX_SCHEDULE_DAYS = 90;
