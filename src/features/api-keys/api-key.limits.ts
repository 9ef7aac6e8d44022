// The dashboard imports these too, so this module must not import anything.

/** Max length of an API key's name (code points). */
export const KEY_NAME_MAX_LENGTH = 100;

/** Max length of the text that a search looks for. */
export const SEARCH_MAX_LENGTH = 100;
