import { domainToASCII } from "node:url";
import { INVISIBLE } from "../../common/invisible";
import { isEmail } from "../../common/validators";
import { MAILBOX } from "../../delivery/mailbox";
import { ADDRESS_MAX_LENGTH } from "./contact.limits";
import { AddressKind, type ContactAddress } from "./contact-address.entity";

/** A normalized address. */
export type Address = Pick<ContactAddress, "kind" | "address">;

const CONTROL = /\p{Cc}/u;

/** Matches addresses that servers may send from, such as `root@localhost`, without separators of lists. */
const DELIVERED_FROM = /^[^\s@<>(),;:"\\[\]]+@[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

/** A short code, or a name of up to 11 characters (GSM 03.40, 9.1.2.5). */
const SENDER_ID = /^([1-9]\d{2,7}|(?=.*[a-z])[a-z0-9][a-z0-9 ._&+-]{0,10})$/i;

/** Removes invisible characters that pasted text may contain, such as direction marks, but not line separators. */
const withoutInvisible = (text: string): string =>
  text.replace(INVISIBLE, (found) => (found.trim() === "" ? found : ""));

interface Format {
  /** @returns the address in the form used for comparison; undefined for an invalid address */
  normalize(text: string): string | undefined;
  mustBe: string;
}

const FORMATS: Readonly<Record<AddressKind, Format>> = {
  [AddressKind.email]: {
    normalize: (text) => normalizeEmail(withoutInvisible(text).trim()),
    mustBe: "must be an e-mail address",
  },
  [AddressKind.phone]: {
    normalize: (given) => {
      const text = withoutInvisible(given).trim().replace(CHANNEL, "");
      return normalizePhone(text) ?? (SENDER_ID.test(text) ? text : undefined);
    },
    mustBe: "must be a phone number with a country code, such as +41 44 668 18 00",
  },
  [AddressKind.local]: { normalize: (text) => text, mustBe: "must be an address" },
  [AddressKind.other]: { normalize: (text) => text, mustBe: "must be an address" },
};

/** Normalizes an address, or returns the reason why it is invalid. */
export function normalizeAddress(kind: AddressKind, text: string): { address: string } | { problem: string } {
  const trimmed = text.trim();
  const { normalize, mustBe } = FORMATS[kind];
  if (trimmed === "") return { problem: "must not be empty" };
  if ([...trimmed].length > ADDRESS_MAX_LENGTH)
    return { problem: `must have at most ${ADDRESS_MAX_LENGTH} characters` };
  if (CONTROL.test(trimmed)) return { problem: "must not contain control characters" };
  if (!trimmed.isWellFormed()) return { problem: "must be well-formed Unicode" };
  const address = normalize(trimmed);
  return address === undefined || address.length > ADDRESS_MAX_LENGTH ? { problem: mustBe } : { address };
}

/** Lowercases even the local part, because mail servers rarely distinguish "Anna" from "anna". */
function normalizeEmail(text: string): string | undefined {
  const at = text.lastIndexOf("@");
  const domain = domainToASCII(text.slice(at + 1).replace(/\.$/, ""));
  const address = `${text.slice(0, at).normalize("NFC").toLowerCase()}@${domain}`;
  const isValid =
    at > 0 && domain !== "" && MAILBOX.test(address) && (DELIVERED_FROM.test(address) || isEmail(address));
  return isValid ? address : undefined;
}

/** A channel prefix that providers put before a number. */
const CHANNEL = /^(whatsapp|tel|sms|rcs):/i;

/** The international dialing prefix, equivalent to `+`. */
const INTERNATIONAL = /^00(?=[\s().-]*[1-9])/;

/** A Mexican mobile number as WhatsApp writes it; the 1 after the country code is not part of the number. */
const OLD_MEXICAN = /^\+[\s().-]*52[\s().-]*1(?=(?:[\s().-]*\d){10}$)/;

/** Loaded on demand, because the library takes memory and most deployments have no phones. */
const loadPhones = (): typeof import("libphonenumber-js/min") => require("libphonenumber-js/min");

/** Returns a number in E.164 format; undefined if it is invalid or has no country code. */
function normalizePhone(given: string): string | undefined {
  const text = given.replace(INTERNATIONAL, "+").replace(OLD_MEXICAN, "+52");
  const number = text.startsWith("+") ? loadPhones().default(text, { extract: false }) : undefined;
  return number?.isPossible() && number.ext === undefined ? number.number : undefined;
}

/** A phone number, or its beginning, with the separators that people write. */
const DIALED = /^[+(]{0,2}\d[\d\s()./\p{Pd}]+$/u;

/** Min digits of a number without `+` or `00`, because shorter ones are more often something else. */
const NATIONAL_MIN_LENGTH = 6;

/** Max length of a number in E.164 format, with its plus. */
const E164_MAX_LENGTH = 16;

/** The numbers that a text can represent. */
export interface PhoneNotation {
  /** The number, or its beginning, in E.164 format; undefined for a number with a national prefix. */
  start?: string;
  /** The numbers that a number without a country code could represent. */
  national: string[];
}

/**
 * Reads a phone number as a person types it, completely or, if it has a country code, only its beginning. Of the
 * national prefixes, only 0 is recognized, which some countries retain after their code.
 */
export function readPhone(given: string): PhoneNotation {
  const text = withoutInvisible(given).trim().replace(CHANNEL, "");
  const whole = normalizePhone(text);
  if (whole !== undefined) return { start: whole, national: [] };
  const dialed = text.replace("(0)", "");
  const number = DIALED.test(dialed) ? dialed.replace(/[^+\d]/g, "").replace(INTERNATIONAL, "+") : "";
  if (number.length > E164_MAX_LENGTH) return { national: [] };
  if (number.startsWith("+")) return { start: normalizePhone(number) ?? number, national: [] };
  if (number.length < NATIONAL_MIN_LENGTH) return { national: [] };
  const { getCountries, getCountryCallingCode } = loadPhones();
  const codes = [...new Set(getCountries().map((country) => getCountryCallingCode(country)))];
  const digits = number.replace(/^0/, "");
  const national = codes.map((code) => `+${code}${digits}`);
  if (number === digits) return { start: `+${number}`, national };
  return { national: [...national, ...codes.map((code) => `+${code}${number}`)] };
}
