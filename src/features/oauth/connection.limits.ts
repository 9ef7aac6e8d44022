// The dashboard imports this module, so it must not import anything.

/** Default number of days that an application stays connected. */
export const CONNECTION_DAYS = 30;

/** Max days that an application stays connected. */
export const CONNECTION_MAX_DAYS = 366;
