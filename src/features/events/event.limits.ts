/** Max size of an event's data as JSON (bytes), so that a whole event has at most 64 KiB. */
export const EVENT_DATA_MAX_BYTES = 63 * 1024;

export const TYPE_MAX_LENGTH = 32;

/** Max length of a subject: `configuration:` and a UUID. */
export const SUBJECT_MAX_LENGTH = 50;

/** The retention setting for events (days), and its default. */
export const EVENT_RETENTION = { RETENTION_EVENTS_DAYS: 30 };
