import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";

/** A text with its entity tag, by which caches revalidate it. */
export interface Validated {
  readonly text: string;
  readonly etag: string;
}

/** Adds a strong entity tag, made from the content, so that all processes and restarts agree on it. */
export const validated = (text: string): Validated => ({
  text,
  etag: `"${createHash("sha256").update(text).digest("base64url")}"`,
});

/**
 * Sends a text that caches may keep but must revalidate, or 304 if the client has it (RFC 9110, 13.1.2). Set its other
 * headers before: a 304 repeats them.
 */
export function sendValidated({ text, etag }: Validated, request: FastifyRequest, reply: FastifyReply) {
  reply.headers({ etag, "cache-control": "no-cache" });
  if (!matches(request.headers["if-none-match"], etag)) return reply.send(text);
  return reply.code(304).removeHeader("content-type").send();
}

/** Whether an `If-None-Match` names a tag, by weak comparison: proxies that compress weaken tags. */
function matches(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false;
  if (condition.trim() === "*") return true;
  return condition.split(",").some((each) => each.trim().replace(/^W\//, "") === etag);
}
