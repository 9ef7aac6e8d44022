import type { IncomingHttpHeaders } from "node:http";
import { parse, splitNumber } from "lossless-json";
import { GatewayError } from "../errors";
import { excerpt } from "../keys/redact-tokens";

/** Far beyond what a field holds; making a bigint of a million digits would keep the process busy for long. */
const LONGEST_INTEGER = 1_000;

/** Decimal exponent of the greatest double. */
const MAX_EXPONENT = 308;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses a JSON body (RFC 8259, always UTF-8) without changing what it says: an integer beyond 2^53 becomes a
 * bigint, where JSON.parse would round it; a fraction that would become an integer, and a member named twice with two
 * values, are refused.
 * @throws GatewayError `invalid_json`
 */
export function parseJson(body: Buffer): unknown {
  try {
    return parse(utf8.decode(body), null, { parseNumber });
  } catch (cause) {
    throw new GatewayError("invalid_json", whyNot(cause), { cause });
  }
}

/**
 * Looks at the headers of a body.
 * @throws GatewayError `invalid_content_type` unless they say JSON in the one charset that JSON has, and
 *   `unsupported_content_encoding` for one that is compressed: small as it is sent, it could fill the memory
 */
export function requireJson({
  "content-type": contentType,
  "content-encoding": encoding = "identity",
}: IncomingHttpHeaders): void {
  if (encoding.toLowerCase() !== "identity") throw new GatewayError("unsupported_content_encoding");
  const [type, ...parameters] = (contentType ?? "").split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="));
  if (type !== "application/json" || (charset !== undefined && !/^charset="?utf-8"?$/.test(charset))) {
    throw new GatewayError("invalid_content_type");
  }
}

/** What the parser says, without what it quotes at length; a stack that ended says only that it did. */
function whyNot(cause: unknown): string | undefined {
  if (cause instanceof SyntaxError || cause instanceof InexactNumber) {
    return `The body is not valid JSON: ${excerpt(cause.message, 200)}.`;
  }
  return undefined;
}

/** A number that would not come back as it was sent. */
class InexactNumber extends Error {}

/**
 * Keeps every integer exact, however it is written (`1e16`, `7.0`), and every fraction as a double.
 * @throws InexactNumber for a fraction that a double rounds to an integer, and for a number beyond the doubles
 */
function parseNumber(text: string): number | bigint {
  const value = Number(text);
  if (!Number.isInteger(value) && Number.isFinite(value)) return value;
  const digits = /^-?\d+$/.test(text) ? text : integerOf(text);
  if (digits !== undefined && Number.isSafeInteger(value)) return value;
  if (digits === undefined || digits.length > LONGEST_INTEGER) {
    throw new InexactNumber(
      "it holds a number that cannot be represented exactly; send an integer without fraction, or fewer digits",
    );
  }
  return BigInt(digits);
}

/** The decimal digits of a number in JSON's notation; undefined for a fraction and what is beyond the doubles. */
function integerOf(text: string): string | undefined {
  const { sign, digits, exponent } = splitNumber(text);
  if (exponent < digits.length - 1 || exponent > MAX_EXPONENT) return undefined;
  return sign + digits.padEnd(exponent + 1, "0");
}
