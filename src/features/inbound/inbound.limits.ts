/** Max size of a JSON body (bytes): the longest text with every character escaped, plus some margin. */
export const INBOUND_JSON_MAX_BYTES = 131_072;

/** Max size of an e-mail (bytes). */
export const MAIL_MAX_BYTES = 10 * 1_048_576;
