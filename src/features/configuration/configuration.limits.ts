/** Max size of a configuration document without its tests, as JSON (bytes). */
export const DOCUMENT_MAX_BYTES = 256 * 1024;

/** Max size of a configuration document with tests, as JSON (bytes). */
export const TESTED_DOCUMENT_MAX_BYTES = 1024 * 1024;

/** Max size of a member's request to `/graphql` (bytes): the largest document with generous whitespace. */
export const MEMBER_REQUEST_MAX_BYTES = 1.25 * TESTED_DOCUMENT_MAX_BYTES;

/** Max tests per configuration document. */
export const MAX_TESTS = 500;

export const MAX_RULES = 200;
export const MAX_CLAUSES = 20;
export const MAX_EFFECTS = 20;
export const MAX_TEMPLATES = 200;
export const MAX_SITUATIONS = 100;

/** Max lines in an effect's list; its message is sent on the first line that can reach the contact. */
export const MAX_LINES_OF_MESSAGE = 5;

/** Max members in a declared situation's data. */
export const MAX_DATA_MEMBERS = 50;

/** Max translations per template. */
export const MAX_LOCALES = 100;

export const CLAUSE_MAX_LENGTH = 2_000;
export const TEMPLATE_MAX_LENGTH = 20_000;
export const NAME_MAX_LENGTH = 63;
export const SITUATION_TYPE_MAX_LENGTH = 100;
export const HANDOFF_REASON_MAX_LENGTH = 500;

export const MAX_BURST_SECONDS = 60;
export const DEFAULT_BURST_SECONDS = 2;
export const MAX_ONCE_DAYS = 90;

/** Min (ms) and max (days) time until a handed-off conversation is released. */
export const MIN_RELEASE_MS = 60_000;
export const MAX_RELEASE_DAYS = 90;

/** Max delay of a message (s). */
export const MAX_DELAY_SECONDS = 90 * 24 * 60 * 60;

/** Max windows per policy. */
export const MAX_WINDOWS = 20;

/** Max caps per policy. */
export const MAX_CAPS = 10;

/** Max messages that a cap allows. */
export const MAX_CAPPED = 100;

/** Max period of a cap (days). */
export const MAX_CAP_DAYS = 90;

/** Max length of a topic's title. */
export const TOPIC_TITLE_MAX_LENGTH = 100;

/** Max waiting timers per contact or, for situations without a contact, per agent. */
export const MAX_TIMERS = 20;

/** Max time that a timer can wait (days). */
export const MAX_TIMER_DAYS = 90;

/** Max length of a timer's key. */
export const TIMER_KEY_MAX_LENGTH = 200;

/** Max value of `maxAsksPerDay`. */
export const MAX_ASKS_PER_DAY = 1_000_000;

/** Max earlier messages sent to a model. */
export const MAX_HISTORY = 50;

/** Max size of the earlier messages sent to a model, as JSON (bytes). */
export const HISTORY_MAX_BYTES = 16 * 1024;

/** Max length of the instructions for a model (code points). */
export const PROMPT_MAX_LENGTH = 40_000;

/** Max configuration texts sent to a model as information. */
export const MAX_ASK_TEXTS = 10;

/** Max total length of the configuration texts sent to a model (UTF-16 code units). */
export const ASK_TEXTS_MAX_LENGTH = 40_000;

/** Max effects per decision; further effects fail, and no more rules are tried. */
export const MAX_EFFECTS_PER_DECISION = 100;

/** Max messages that one decision can send. */
export const MAX_MESSAGES_PER_DECISION = 10;

/** Max length of a situation's key. */
export const SITUATION_KEY_MAX_LENGTH = 200;

/** Max size of a situation's data as JSON (bytes). */
export const SITUATION_MAX_BYTES = 32 * 1024;

/** Max nesting depth of a situation's data. */
export const SITUATION_MAX_DEPTH = 10;

/** Max items per list in a situation's data. */
export const MAX_DATA_ITEMS = 100;

/** Max problems reported per document; the same limit applies to warnings. */
export const MAX_REPORTED = 100;

/** Max length of a reported problem's path; all valid paths are shorter. */
export const PROBLEM_PATH_MAX_LENGTH = 300;
export const PROBLEM_MESSAGE_MAX_LENGTH = 500;

/** Max steps that the conditions of one decision may take. */
export const MAX_CONDITION_STEPS = 100_000;

/** Max steps that the texts of one decision may take. */
export const MAX_TEXT_STEPS = 100_000;

/** Max characters in the HTML of all messages that a decision sends, not counting resent messages. */
export const MAX_HTML_PER_DECISION = 60_000;

/** Max values shown in a decision's explanation. */
export const MAX_READS = 1_000;

/** Max length of a value in an explanation, as text or JSON (UTF-16 code units). */
export const READ_MAX_LENGTH = 200;

/** Max length of a version's note (code points). */
export const NOTE_MAX_LENGTH = 500;
