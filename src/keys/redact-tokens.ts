import { isWellFormedApiKey, isWellFormedSessionToken } from "./key-format";

const LIKE_AN_API_KEY = /(agk_[a-z]+_[0-9A-Za-z]{12})_[0-9A-Za-z]{28}/g;
const LIKE_A_SESSION_TOKEN = /(ags)_[0-9A-Za-z]{49}/g;

/**
 * A text of a client as it may be kept, logged or answered: of an API key or session token that strayed into it
 * only the part remains that may be shown.
 */
export const redactTokens = (text: string): string =>
  text
    .replace(LIKE_AN_API_KEY, (found, hint) => (isWellFormedApiKey(found) ? `${hint}_[redacted]` : found))
    .replace(LIKE_A_SESSION_TOKEN, (found, kind) =>
      isWellFormedSessionToken(found) ? `${kind}_[redacted]` : found,
    );

/** Whether a text holds an API key or a session token. */
export const holdsToken = (text: string): boolean => redactTokens(text) !== text;

/** The beginning of a text of a client; redacted before it is cut, for half a token is known no more. */
export const excerpt = (text: string, characters: number): string => redactTokens(text).slice(0, characters);
