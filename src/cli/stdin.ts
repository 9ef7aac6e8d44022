import { buffer } from "node:stream/consumers";
import { GatewayError } from "../errors";
import { decodeText } from "./text-encoding";

const used = new WeakSet<NodeJS.ReadStream>();

/** Returns standard input; throws GatewayError `invalid_request` the second time, because nothing would be left. */
export function stdin(): NodeJS.ReadStream {
  if (used.has(process.stdin))
    throw new GatewayError("invalid_request", "Standard input can be used only once.");
  used.add(process.stdin);
  return process.stdin;
}

/**
 * Reads a secret from standard input, without the final line break.
 * @throws GatewayError `invalid_request` the second time, and if the input is not one line of text
 */
export const secretFromStdin = async (): Promise<string> => secretIn(await buffer(stdin()));

/** @throws GatewayError `invalid_request` if the bytes are not one line of text */
export function secretIn(bytes: Uint8Array): string {
  const secret = decodeText(bytes)?.replace(/\r?\n$/, "");
  if (secret === undefined)
    throw new GatewayError("invalid_request", "The secret on standard input is not encoded in UTF-8.");
  if (/[\r\n]/.test(secret))
    throw new GatewayError("invalid_request", "The secret on standard input has more than one line.");
  return secret;
}
