import {
  ACCESS_TOKEN,
  API_KEY,
  INVITATION,
  ORGANIZATION_KEY,
  PUBLIC_ID_DIGITS,
  REFRESH_TOKEN,
  SECRET_DIGITS,
  SESSION,
  SIGNING_SECRET,
} from "../../credentials/token-parts";

/** A pasted gateway secret. Contains only the hint of an API key, and no part of any other secret. */
export interface PastedSecret {
  kind:
    | typeof API_KEY
    | typeof ORGANIZATION_KEY
    | typeof SESSION
    | typeof INVITATION
    | typeof ACCESS_TOKEN
    | typeof REFRESH_TOKEN
    | typeof SIGNING_SECRET;
  /** The public part of an API key; "" for other secrets, because they have none. */
  hint: string;
}

/**
 * Matches secrets by format alone, because even a truncated or mistyped secret should be hidden. Filters may have
 * changed the case of letters, and URLs encode "+", "/" and "=".
 */
const SECRETS = new RegExp(
  `((?:${API_KEY}|${ORGANIZATION_KEY})_[a-z]+_[0-9a-z]{${PUBLIC_ID_DIGITS}})_[0-9a-z]+` +
    `|(?:${SESSION}|${INVITATION}|${ACCESS_TOKEN}|${REFRESH_TOKEN})_[0-9a-z]{${SECRET_DIGITS},}` +
    `|${SIGNING_SECRET}_[0-9a-z+/=%]{${SECRET_DIGITS},}`,
  "gi",
);

/**
 * Replaces API keys with their hints and removes other secrets.
 * @param text any text, such as part of a URL, encoded or not
 */
export const withoutSecrets = (text: string): string => text.replace(SECRETS, (_, hint: string = "") => hint);

/**
 * Finds the first secret in text, such as a header with a key.
 * @returns undefined if there is none
 */
export function secretIn(text: string): PastedSecret | undefined {
  const [found] = text.matchAll(SECRETS);
  if (found === undefined) return undefined;
  const kind = found[0].slice(0, found[0].indexOf("_")).toLowerCase() as PastedSecret["kind"];
  return { kind, hint: found[1] ?? "" };
}

/** Returns the URL of the list of API keys, filtered by hint; the list offers to revoke the key. */
export const pastedKeyHref = (hint: string): string => `/api-keys?search=${hint}&pasted=yes`;
