/** Max lines per agent, in any state. */
export const MAX_LINES = 50;

/** Max length of the reason for a pause (code points). */
export const PAUSED_REASON_MAX_LENGTH = 200;

/** Default for the max time that a line's messages may wait to be sent (s). */
export const DEFAULT_EXPIRE_AFTER_SECONDS = 3 * 24 * 60 * 60;

export const MIN_EXPIRE_AFTER_SECONDS = 60;
export const MAX_EXPIRE_AFTER_SECONDS = 30 * 24 * 60 * 60;

export const MAX_RATE_PER_MINUTE = 10_000;

export const URL_MAX_LENGTH = 2_048;
export const HOST_MAX_LENGTH = 253;
export const USER_MAX_LENGTH = 254;
export const PASSWORD_MAX_LENGTH = 1_000;
export const FROM_MAX_LENGTH = 400;
export const SUBJECT_MAX_LENGTH = 200;
export const OPT_OUT_REPLY_MAX_LENGTH = 1_000;

/** Max number of opt-out words per line, and max length of each word. */
export const MAX_OPT_OUT_WORDS = 20;
export const OPT_OUT_WORD_MAX_LENGTH = 40;

/** Default subject of an e-mail line's messages. */
export const DEFAULT_SUBJECT = "New message";
