/** Max webhook endpoints per organization. */
export const MAX_ENDPOINTS = 20;

export const URL_MAX_LENGTH = 2_048;

/** Max length of an endpoint's description (code points). */
export const DESCRIPTION_MAX_LENGTH = 200;

/** Max length of a delivery's error message. */
export const ERROR_MAX_LENGTH = 500;

/** Max attempts stored per delivery; older ones are dropped. */
export const MAX_KEPT_ATTEMPTS = 10;

/** Max length of a webhook request's body: the event's data, with some space for the event's other fields. */
export const BODY_MAX_LENGTH = 64 * 1024;

/** Time after which an endpoint that keeps failing is disabled (days). */
export const MAX_FAILING_DAYS = 5;

/**
 * Min failed attempts to deliver one event before a failing endpoint is disabled. They take at least two and
 * a half hours, so an endpoint is not disabled merely because the gateway was stopped for days.
 */
export const MIN_FAILED_ATTEMPTS = 6;
