import { isWellFormedApiKey, isWellFormedSessionToken } from "./token-format";

const LIKE_AN_API_KEY = /(agk_[a-z]+_[0-9A-Za-z]{12})_[0-9A-Za-z]{28}/g;
const LIKE_A_SESSION_TOKEN = /(ags)_[0-9A-Za-z]{49}/g;

/**
 * A text of a client as it may be kept, logged or answered: of an API key or session token that strayed into it
 * only the part remains that may be shown.
 */
export const redactTokens = (text: string): string =>
  redact(redact(text, LIKE_AN_API_KEY, isWellFormedApiKey), LIKE_A_SESSION_TOKEN, isWellFormedSessionToken);

/** Not `replace`: a token may begin inside of what only looks like one. */
function redact(text: string, like: RegExp, isToken: (text: string) => boolean): string {
  let redacted = "";
  let end = 0;
  like.lastIndex = 0;
  for (let found = like.exec(text); found !== null; found = like.exec(text)) {
    if (isToken(found[0])) {
      redacted += `${text.slice(end, found.index)}${found[1]}_[redacted]`;
      end = like.lastIndex;
    } else like.lastIndex = found.index + 1;
  }
  return redacted + text.slice(end);
}

/** Whether a text holds an API key or a session token. */
export const holdsToken = (text: string): boolean => redactTokens(text) !== text;

/** The beginning of a text of a client; redacted before it is cut, for half a token is known no more. */
export const excerpt = (text: string, characters: number): string => redactTokens(text).slice(0, characters);
