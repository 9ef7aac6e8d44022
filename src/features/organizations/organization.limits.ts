// The dashboard imports this module, so it must not import anything.

/** Max length of an organization's name (code points). */
export const ORGANIZATION_NAME_MAX_LENGTH = 200;
