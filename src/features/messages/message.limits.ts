/** Max length of a message (code points). */
export const MESSAGE_TEXT_MAX_LENGTH = 10_000;
