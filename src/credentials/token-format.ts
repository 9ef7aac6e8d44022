import { crc32 } from "node:zlib";
import { ENVIRONMENTS, type Environment } from "../common/environment";
import { randomBase62, toBase62 } from "./base62";
import { sha256 } from "./sha256";
import {
  ACCESS_TOKEN,
  API_KEY,
  INVITATION,
  ORGANIZATION_KEY,
  PUBLIC_ID_DIGITS,
  REFRESH_TOKEN,
  SECRET_DIGITS,
  SESSION,
} from "./token-parts";

/** The part of a key that identifies its environment. */
export const KEY_ENVIRONMENT = {
  development: "dev",
  staging: "test",
  production: "live",
} as const satisfies Record<Environment, string>;

export type KeyEnvironment = (typeof KEY_ENVIRONMENT)[Environment];

/** 256 random bits, for a session token, an invitation token or an OAuth token. */
const TOKEN_DIGITS = 43;
const CHECKSUM_DIGITS = 6;

/** CRC32 in base62: rejects typos without a query and lets secret scanners recognize keys. */
const checksum = (text: string) => toBase62(crc32(text), CHECKSUM_DIGITS);

const withChecksum = (text: string) => text + checksum(text);
const hasValidChecksum = (token: string) => token.endsWith(checksum(token.slice(0, -CHECKSUM_DIGITS)));

/** The stored hash of a token: SHA-256 suffices, because tokens are too random to guess. */
export const hashToken = sha256;

/** The prefixes of API keys: agent keys and organization keys. */
type KeyPrefix = typeof API_KEY | typeof ORGANIZATION_KEY;

/** Mints an API key, `<prefix>_<env>_<publicId>_<secret><checksum>`, and its hint, the public part. */
export function mintApiKey(
  environment: KeyEnvironment,
  prefix: KeyPrefix = API_KEY,
): { secret: string; hint: string } {
  const hint = `${prefix}_${environment}_${randomBase62(PUBLIC_ID_DIGITS)}`;
  return { secret: withChecksum(`${hint}_${randomBase62(SECRET_DIGITS)}`), hint };
}

const mintToken = (prefix: string): string => withChecksum(`${prefix}_${randomBase62(TOKEN_DIGITS)}`);

// Each mints a token, `<prefix>_<secret><checksum>`.
export const mintSessionToken = (): string => mintToken(SESSION);
export const mintInvitationToken = (): string => mintToken(INVITATION);
export const mintAccessToken = (): string => mintToken(ACCESS_TOKEN);
export const mintRefreshToken = (): string => mintToken(REFRESH_TOKEN);

/** True if a bearer token lacks the session prefix and is therefore treated as an API key. */
export const isApiKey = (token: string): boolean => !token.startsWith(`${SESSION}_`);

const API_KEY_FORM = new RegExp(
  `^(?:${API_KEY}|${ORGANIZATION_KEY})_(dev|test|live)_[0-9A-Za-z]{${PUBLIC_ID_DIGITS}}_[0-9A-Za-z]{${SECRET_DIGITS + CHECKSUM_DIGITS}}$`,
);
/** Finds possible API keys and OAuth tokens in text. */
const KEYS_AND_TOKENS = new RegExp(
  `${API_KEY_FORM.source.slice(1, -1)}|(?:${ACCESS_TOKEN}|${REFRESH_TOKEN})_[0-9A-Za-z]{${TOKEN_DIGITS + CHECKSUM_DIGITS}}`,
  "g",
);

/** Returns a function that checks the form and checksum of the tokens with a prefix. */
function wellFormed(prefix: string): (token: string) => boolean {
  const form = new RegExp(`^${prefix}_[0-9A-Za-z]{${TOKEN_DIGITS + CHECKSUM_DIGITS}}$`);
  return (token) => form.test(token) && hasValidChecksum(token);
}

/** True if a string has the form of an API key and a valid checksum. */
export const isWellFormedApiKey = (token: string): boolean =>
  API_KEY_FORM.test(token) && hasValidChecksum(token);

/** Returns the distinct API keys and OAuth tokens with valid checksums in text. */
export const keysAndTokensIn = (text: string): string[] =>
  [...new Set(text.match(KEYS_AND_TOKENS))].filter(hasValidChecksum);

/** Returns the environment of a well-formed API key. */
export function environmentOf(token: string): Environment {
  const part = token.split("_")[1];
  const found = ENVIRONMENTS.find((environment) => KEY_ENVIRONMENT[environment] === part);
  if (found === undefined) throw new Error("The API key is not well-formed.");
  return found;
}

// True for strings with the form of a token and a valid checksum.
export const isWellFormedSessionToken = wellFormed(SESSION);
export const isWellFormedInvitationToken = wellFormed(INVITATION);
export const isWellFormedAccessToken = wellFormed(ACCESS_TOKEN);
export const isWellFormedRefreshToken = wellFormed(REFRESH_TOKEN);

/** True if a bearer token is treated as an OAuth access token. */
export const isAccessToken = (token: string): boolean => token.startsWith(`${ACCESS_TOKEN}_`);
