import {
  isWellFormedAccessToken,
  isWellFormedApiKey,
  isWellFormedInvitationToken,
  isWellFormedRefreshToken,
  isWellFormedSessionToken,
} from "./token-format";

const PREFIX = /ag[kiorst]_/;

const LIKE_AN_API_KEY = /(ag[ko]_[a-z]+_[0-9A-Za-z]{12})_[0-9A-Za-z]{28}/g;
const LIKE_A_TOKEN = /(ag[irst])_[0-9A-Za-z]{49}/g;

const isToken = (text: string) =>
  isWellFormedSessionToken(text) ||
  isWellFormedInvitationToken(text) ||
  isWellFormedAccessToken(text) ||
  isWellFormedRefreshToken(text);

/** Redacts all kinds of keys and tokens in client text, which is then safe to store, log or return. */
export const redactTokens = (text: string): string =>
  PREFIX.test(text) ? redact(redact(text, LIKE_AN_API_KEY, isWellFormedApiKey), LIKE_A_TOKEN, isToken) : text;

/** Redacts matching tokens without `replace`, because a token may start inside text that only looks like a token. */
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

/** True if text contains an API key or another token. */
export const holdsToken = (text: string): boolean => redactTokens(text) !== text;

/** True if text may contain a token or part of one. A checksum is not required, because anyone can compute it. */
export const mayHoldToken = (text: string): boolean => /ag[ko]_|ag[irst]_[0-9a-z]{22}/i.test(text);

/** Returns the start of client text, redacted before truncation, because part of a token would not be recognized. */
export const excerpt = (text: string, characters: number): string => redactTokens(text).slice(0, characters);
