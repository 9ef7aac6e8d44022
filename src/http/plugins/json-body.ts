import type { IncomingHttpHeaders } from "node:http";
import { parse, splitNumber } from "lossless-json";
import { excerpt } from "../../credentials/redact-tokens";
import { GatewayError } from "../../errors";

/** Max digits of an integer. Parsing a bigint with a million digits would block the event loop. */
const INTEGER_MAX_LENGTH = 1_000;

/** Max nesting of lists and objects; no input type needs more, and V8 takes 0.4 s to parse half a million levels. */
export const MAX_JSON_DEPTH = 64;

/** JSON.parse is exact for numbers up to this length without an exponent. */
const EXACT_NUMBER_LENGTH = 15;

/** The decimal exponent of the largest double. */
const MAX_EXPONENT = 308;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses a UTF-8 JSON body (RFC 8259) without loss of precision: an integer beyond 2^53 becomes a bigint.
 * @throws GatewayError `invalid_json`, including for a fraction that would round to an integer and for duplicate
 * members with different values
 */
export function parseJson(body: Buffer): unknown {
  try {
    const text = utf8.decode(body);
    const { members, hasLongNumber } = scan(body);
    if (!hasLongNumber) {
      const value: unknown = JSON.parse(text);
      // If the value has fewer members than the text, a name is duplicated.
      if (countMembers(value) === members) return value;
    }
    // This parser is the last resort, because it is up to 400 times slower than JSON.parse.
    return parse(text, null, { parseNumber });
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause;
    throw new GatewayError("invalid_json", describeParseError(cause), { cause });
  }
}

/**
 * Checks the headers of a body.
 * @throws GatewayError `invalid_content_type` unless the body is JSON in UTF-8; `unsupported_content_encoding` if it is
 *   compressed, because it could expand to fill the memory
 */
export function requireJson(headers: IncomingHttpHeaders): void {
  requireUncompressed(headers);
  const { "content-type": contentType } = headers;
  const [type, ...parameters] = (contentType ?? "").split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="));
  if (type !== "application/json") throw new GatewayError("invalid_content_type");
  if (charset !== undefined && !/^charset="?utf-8"?$/.test(charset))
    throw new GatewayError(
      "invalid_content_type",
      "The charset in Content-Type must be utf-8, or be omitted.",
    );
}

/** @throws GatewayError `unsupported_content_encoding` */
export function requireUncompressed({
  "content-encoding": encoding = "identity",
}: IncomingHttpHeaders): void {
  if (encoding.toLowerCase() !== "identity") throw new GatewayError("unsupported_content_encoding");
}

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** @throws GatewayError `invalid_json` if JSON is nested too deeply for recursive functions */
export function requireShallow(text: Uint8Array): void {
  scan(text);
}

/**
 * Scans text before parsing; for malformed JSON, the result is unspecified.
 * @returns the number of object members in the text, and whether a number is too long for JSON.parse
 * @throws GatewayError `invalid_json` if the text is nested too deeply
 */
function scan(text: Uint8Array): { members: number; hasLongNumber: boolean } {
  let depth = 0;
  let members = 0;
  let hasLongNumber = false;
  for (let i = 0; i < text.length; i++) {
    const byte = text[i] as number;
    if (byte === QUOTE) i = endOfString(text, i + 1);
    else if (byte === COLON) members++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > MAX_JSON_DEPTH) {
        throw new GatewayError("invalid_json", `The body is nested more than ${MAX_JSON_DEPTH} levels deep.`);
      }
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
    else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) {
      const begin = i;
      let hasExponent = false;
      for (; isInNumber(text[i + 1]); i++) hasExponent ||= ((text[i + 1] as number) | 0x20) === 0x65;
      hasLongNumber ||= hasExponent || i + 1 - begin > EXACT_NUMBER_LENGTH;
    }
  }
  return { members, hasLongNumber };
}

/** Returns the index of a string's closing quote; `i` is the index after the opening quote. */
function endOfString(text: Uint8Array, i: number): number {
  while (i < text.length && text[i] !== QUOTE) i += text[i] === BACKSLASH ? 2 : 1;
  return i;
}

/** True if a byte is one of `+-.`, a digit, or the `e` of an exponent. */
const isInNumber = (byte = 0): boolean =>
  (byte >= ZERO && byte <= NINE) ||
  byte === 0x2b ||
  byte === MINUS ||
  byte === 0x2e ||
  (byte | 0x20) === 0x65;

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const item of Object.values(value)) count += countMembers(item);
  return count;
}

/** Describes a parse error without quoting the body; undefined for an internal error such as a stack overflow. */
function describeParseError(cause: unknown): string | undefined {
  if (cause instanceof SyntaxError || cause instanceof InexactNumber) {
    const message = cause.message.replace(/, (\.{3})?".*$/s, "");
    return `The body is not valid JSON: ${excerpt(message, 200)}.`;
  }
  return undefined;
}

class InexactNumber extends Error {}

/** Parses an integer exactly, a fraction as a double; throws InexactNumber if that is an integer or out of range. */
function parseNumber(text: string): number | bigint {
  const value = Number(text);
  if (!Number.isInteger(value) && Number.isFinite(value)) return value;
  const digits = /^-?\d+$/.test(text) ? text : integerOf(text);
  if (digits !== undefined && Number.isSafeInteger(value)) return value;
  if (digits === undefined || digits.length > INTEGER_MAX_LENGTH) {
    throw new InexactNumber(
      "it contains a number that cannot be represented exactly (send an integer without a fraction, or fewer digits)",
    );
  }
  return BigInt(digits);
}

/** Returns the decimal digits of a JSON number; undefined for a fraction or a number beyond the range of doubles. */
function integerOf(text: string): string | undefined {
  const { sign, digits, exponent } = splitNumber(text);
  if (exponent < digits.length - 1 || exponent > MAX_EXPONENT) return undefined;
  return sign + digits.padEnd(exponent + 1, "0");
}
