/** Max webhook endpoints of an organization. */
export const MAX_ENDPOINTS = 20;

export const URL_MAX_LENGTH = 2_048;

/** Max length of the description of an endpoint (code points). */
export const DESCRIPTION_MAX_LENGTH = 200;

/** Max length of what went wrong with a delivery. */
export const ERROR_MAX_LENGTH = 500;

/** How long an endpoint may fail before it is disabled, in days. */
export const MAX_FAILING_DAYS = 5;
