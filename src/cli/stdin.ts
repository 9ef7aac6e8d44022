import { text } from "node:stream/consumers";
import { GatewayError } from "../errors";

let isRead = false;

/** Reads a secret from standard input, without the final line break; throws `invalid_request` the second time. */
export async function secretFromStdin(): Promise<string> {
  if (isRead) throw new GatewayError("invalid_request", "Only one secret can be read from standard input.");
  isRead = true;
  return (await text(process.stdin)).replace(/\r?\n$/, "");
}
