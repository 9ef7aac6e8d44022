import {
  API_KEY,
  INVITATION,
  PUBLIC_ID_DIGITS,
  SECRET_DIGITS,
  SESSION,
  SIGNING_SECRET,
} from "../../credentials/token-parts";

/** A gateway secret that was pasted; reduced to the hint for an API key, and to nothing for other secrets. */
export interface PastedSecret {
  kind: typeof API_KEY | typeof SESSION | typeof INVITATION | typeof SIGNING_SECRET;
  /** The public part of an API key; "" for other secrets, which have no public part. */
  hint: string;
}

/**
 * By their form alone, because a secret that was cut off, or has a typo, is still worth hiding. Filters may have changed
 * the case of letters, and addresses encode "+", "/" and "=".
 */
const SECRETS = new RegExp(
  `(${API_KEY}_[a-z]+_[0-9a-z]{${PUBLIC_ID_DIGITS}})_[0-9a-z]+` +
    `|(?:${SESSION}|${INVITATION})_[0-9a-z]{${SECRET_DIGITS},}` +
    `|${SIGNING_SECRET}_[0-9a-z+/=%]{${SECRET_DIGITS},}`,
  "gi",
);

/**
 * Cuts API keys at their hints, and takes other secrets out.
 * @param text also a part of an address, encoded or not
 */
export const withoutSecrets = (text: string): string => text.replace(SECRETS, (_, hint: string = "") => hint);

/**
 * Finds the first secret in a text, such as a header with a key.
 * @returns undefined if there is none
 */
export function secretIn(text: string): PastedSecret | undefined {
  const [found] = text.matchAll(SECRETS);
  if (found === undefined) return undefined;
  const kind = found[0].slice(0, found[0].indexOf("_")).toLowerCase() as PastedSecret["kind"];
  return { kind, hint: found[1] ?? "" };
}

/** The list of API keys with the one of a hint, and the offer to revoke it. */
export const pastedKeyHref = (hint: string): string => `/api-keys?search=${hint}&pasted=yes`;
