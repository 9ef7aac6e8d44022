// The dashboard imports this module, so it must not import anything.

/** Max length of an API key's name (code points). */
export const KEY_NAME_MAX_LENGTH = 100;

/** Max length of an API key's description (code points). */
export const KEY_DESCRIPTION_MAX_LENGTH = 500;

/** Max scopes in a list; higher than the number of existing scopes. */
export const MAX_SCOPES = 100;

/** Max networks per API key: as many as an audit log entry can list. */
export const MAX_NETWORKS = 40;

/** Max lifetime of an organization key that may be used from any network (days). */
export const ORGANIZATION_KEY_MAX_DAYS = 366;

/** Max value of an API key's own rate limit (requests per minute). */
export const KEY_RATE_LIMIT_MAX = 100_000_000;

/** Max length of a connected application's client ID. */
export const CLIENT_ID_MAX_LENGTH = 500;

/** Max length of a search string. */
export const SEARCH_MAX_LENGTH = 100;

/** Keys that expire within this many days are listed as needing attention. */
export const EXPIRING_DAYS = 14;
