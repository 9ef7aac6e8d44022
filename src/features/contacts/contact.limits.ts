/** Max addresses per contact. */
export const MAX_ADDRESSES = 10;

/** Max tags per contact. */
export const MAX_TAGS = 50;

/** Max contacts per request. */
export const MAX_PUT = 500;

/** Max length of an export page with more than one record (characters, as JSON). */
export const EXPORT_PAGE_MAX_CHARACTERS = 1_000_000;

/** Max items per list in an input; higher than the limit per contact, so that errors report that limit. */
export const MAX_LISTED = 100;

/** Max size of a contact's attributes as JSON (bytes). */
export const ATTRIBUTES_MAX_BYTES = 8 * 1024;

export const REF_MAX_LENGTH = 255;
export const CONTACT_NAME_MAX_LENGTH = 200;
export const ADDRESS_MAX_LENGTH = 254;
export const TAG_MAX_LENGTH = 50;

/** Max length of a search text and of a search term. */
export const TERM_MAX_LENGTH = 255;

/** Max topics per agent. */
export const MAX_TOPICS = 20;

/** Max length of a topic's name. */
export const CONSENT_TOPIC_MAX_LENGTH = 63;

/** Max consents per contact in an input: one for each topic of a policy, and one for all messages. */
export const MAX_PUT_CONSENTS = MAX_TOPICS + 1;

/** Max length of a consent's evidence. */
export const EVIDENCE_MAX_LENGTH = 500;
