import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { setImmediate } from "node:timers/promises";

/** Max age of a signature (s); senders retry for days, and duplicates are recognized by their IDs. */
const MAX_AGE_SECONDS = 5 * 24 * 60 * 60;

/** Max time by which a sender's clock may be ahead (s). */
const MAX_AHEAD_SECONDS = 5 * 60;

const ID_MAX_LENGTH = 256;

/** Max signatures per request; more than two are unusual, and each costs an HMAC of the body. */
const MAX_SIGNATURES = 10;

/** Max bytes of a body hashed in one step, which takes a few milliseconds at most. */
const MAX_HASHED_BYTES = 1_048_576;

/** The signature of a request, read from its headers. */
export interface WebhookSignature {
  id: string;
  /** Unix time (s), as signed. */
  timestamp: string;
  /** The decoded version 1 signatures. */
  signatures: readonly Buffer[];
}

/**
 * Reads the headers defined by Standard Webhooks.
 * @returns undefined if a header is missing or malformed, or if the time is more than five days in the past or five
 *   minutes in the future
 */
export function webhookSignatureOf(
  headers: IncomingHttpHeaders,
  nowSeconds = Date.now() / 1000,
): WebhookSignature | undefined {
  const [id, timestamp, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => {
    const value = headers[name];
    return typeof value === "string" ? value : "";
  }) as [string, string, string];
  if (id === "" || id.length > ID_MAX_LENGTH || !/^\d{1,12}$/.test(timestamp)) return undefined;
  const age = nowSeconds - Number(timestamp);
  if (age > MAX_AGE_SECONDS || age < -MAX_AHEAD_SECONDS) return undefined;
  const signatures = signature
    .split(" ")
    .filter((each) => each.startsWith("v1,"))
    .slice(0, MAX_SIGNATURES)
    .map((each) => Buffer.from(each.slice("v1,".length), "base64"));
  return signatures.length === 0 ? undefined : { id, timestamp, signatures };
}

/**
 * True if one of the signatures matches one of the secrets; yields to the event loop while hashing a large
 * body. The Standard Webhooks library verifies only text, but an e-mail may contain bytes that are not text.
 * @param body the bytes as received, in chunks
 * @param secrets `whsec_…`
 */
export async function isSignedBy(
  { id, timestamp, signatures }: WebhookSignature,
  body: readonly Buffer[],
  secrets: readonly string[],
): Promise<boolean> {
  const hashes = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    return createHmac("sha256", key).update(`${id}.${timestamp}.`);
  });
  let hashed = 0;
  for (const part of body) {
    if (hashed + part.length > MAX_HASHED_BYTES) {
      await setImmediate();
      hashed = 0;
    }
    for (const hash of hashes) hash.update(part);
    hashed += part.length;
  }
  return hashes.some((hash) => {
    const expected = hash.digest();
    return signatures.some((each) => each.length === expected.length && timingSafeEqual(each, expected));
  });
}
