import { crc32 } from "node:zlib";
import type { Environment } from "../common/environment";
import { randomBase62, toBase62 } from "./base62";
import { sha256 } from "./sha256";

/** The part of a key that says where it is valid. */
export const KEY_ENVIRONMENT = {
  development: "dev",
  staging: "test",
  production: "live",
} as const satisfies Record<Environment, string>;

export type KeyEnvironment = (typeof KEY_ENVIRONMENT)[Environment];

const API_KEY = "agk";
const SESSION = "ags";
const PUBLIC_ID_DIGITS = 12;
/** 131 random bits. */
const SECRET_DIGITS = 22;
/** 256 random bits. */
const SESSION_DIGITS = 43;
const CHECKSUM_DIGITS = 6;

/** CRC32 in base62: a typing error is refused without a query, and secret scanners can tell keys from noise. */
const checksum = (text: string) => toBase62(crc32(text), CHECKSUM_DIGITS);

const sealed = (text: string) => text + checksum(text);
const isSealed = (token: string) => sealed(token.slice(0, -CHECKSUM_DIGITS)) === token;

/** What is stored of a token that is random enough to need no slow hash: its SHA-256, hexadecimal. */
export const hashToken = sha256;

/** A new API key, `agk_<env>_<publicId>_<secret><checksum>`, and its hint, the part that may be shown. */
export function mintApiKey(environment: KeyEnvironment): { secret: string; hint: string } {
  const hint = `${API_KEY}_${environment}_${randomBase62(PUBLIC_ID_DIGITS)}`;
  return { secret: sealed(`${hint}_${randomBase62(SECRET_DIGITS)}`), hint };
}

/** A new session token, `ags_<secret><checksum>`. */
export const mintSessionToken = (): string => sealed(`${SESSION}_${randomBase62(SESSION_DIGITS)}`);

/** Whether a bearer token means to be an API key rather than a session token. */
export const isApiKey = (token: string): boolean => !token.startsWith(`${SESSION}_`);

const API_KEY_FORM = new RegExp(
  `^${API_KEY}_(dev|test|live)_[0-9A-Za-z]{${PUBLIC_ID_DIGITS}}_[0-9A-Za-z]{${SECRET_DIGITS + CHECKSUM_DIGITS}}$`,
);
const SESSION_FORM = new RegExp(`^${SESSION}_[0-9A-Za-z]{${SESSION_DIGITS + CHECKSUM_DIGITS}}$`);

/** Whether a text has the form of an API key and its checksum is right. */
export const isWellFormedApiKey = (token: string): boolean => API_KEY_FORM.test(token) && isSealed(token);

/** Whether a text has the form of a session token and its checksum is right. */
export const isWellFormedSessionToken = (token: string): boolean =>
  SESSION_FORM.test(token) && isSealed(token);
