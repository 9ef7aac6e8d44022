import { buffer } from "node:stream/consumers";
import { GatewayError } from "../errors";
import { decodeText } from "./text-encoding";

let isRead = false;

/**
 * Reads a secret from standard input, without the final line break.
 * @throws GatewayError `invalid_request` the second time, and if the input is not one line of text
 */
export async function secretFromStdin(): Promise<string> {
  if (isRead) throw new GatewayError("invalid_request", "Only one secret can be read from standard input.");
  isRead = true;
  return secretIn(await buffer(process.stdin));
}

/** @throws GatewayError `invalid_request` if the bytes are not one line of text */
export function secretIn(bytes: Uint8Array): string {
  const secret = decodeText(bytes)?.replace(/\r?\n$/, "");
  if (secret === undefined)
    throw new GatewayError("invalid_request", "The secret on standard input is not encoded in UTF-8.");
  if (/[\r\n]/.test(secret))
    throw new GatewayError("invalid_request", "The secret on standard input has more than one line.");
  return secret;
}
