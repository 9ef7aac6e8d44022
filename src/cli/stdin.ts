import { text } from "node:stream/consumers";
import { GatewayError } from "../errors";

let isRead = false;

/**
 * Reads a secret from standard input, without the trailing line break.
 * @throws GatewayError `invalid_request` if a secret was already read
 */
export async function secretFromStdin(): Promise<string> {
  if (isRead) throw new GatewayError("invalid_request", "Only one secret can be read from standard input.");
  isRead = true;
  return (await text(process.stdin)).replace(/\r?\n$/, "");
}
