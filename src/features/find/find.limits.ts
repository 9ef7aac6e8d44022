/** Max length of text to search for (code points), enough for an address or a URL with an ID. */
export const FIND_MAX_LENGTH = 255;

/** Max resources of one kind in a result. */
export const MAX_PER_KIND = 5;
