// The dashboard imports this module, so it must not import anything.

/** Days that an application stays connected by default. */
export const CONNECTION_DAYS = 30;

/** Max days that an application stays connected. */
export const CONNECTION_MAX_DAYS = 366;
