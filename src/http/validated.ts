import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { getOrCreate } from "../common/get-or-create";
import { addVary, compress, type Encoding, encodingFor, MIN_COMPRESSED_LENGTH } from "./encoding";

/** A text body with its entity tag, which caches use for revalidation. */
export interface Validated {
  readonly text: string;
  readonly etag: string;
}

/** Adds a strong entity tag derived from the content, so that it is the same in all processes and after restarts. */
export const validated = (text: string): Validated => ({
  text,
  etag: `"${createHash("sha256").update(text).digest("base64url")}"`,
});

const compressed = new WeakMap<Validated, Partial<Record<Encoding, Promise<Buffer>>>>();

/** The highest level that all encodings support, affordable because each text is compressed only once. */
const LEVEL = 9;

/** Returns the tag for an encoding, because strong tags must differ between encodings (RFC 9110, 8.8.3.3). */
const tagOf = (etag: string, encoding: Encoding): string =>
  encoding === "identity" ? etag : `${etag.slice(0, -1)}-${encoding}"`;

const ENCODINGS: readonly Encoding[] = ["identity", "gzip", "br"];

/**
 * Sends public text, compressed if the client accepts that, or a 304 if the client already has the text (RFC 9110,
 * 13.1.2). Caches may store it but must revalidate it. Set any other headers first, because a 304 repeats them.
 */
export async function sendValidated(content: Validated, request: FastifyRequest, reply: FastifyReply) {
  const { text, etag } = content;
  const isLong = text.length >= MIN_COMPRESSED_LENGTH;
  const encoding = isLong ? encodingFor(request.headers["accept-encoding"]) : "identity";
  if (isLong) reply.header("vary", addVary(reply.getHeader("vary"), "Accept-Encoding"));
  reply.headers({ etag: tagOf(etag, encoding), "cache-control": "no-cache" });
  const tags = ENCODINGS.map((each) => tagOf(etag, each));
  if (matches(request.headers["if-none-match"], tags)) {
    // Fastify would add a Content-Length of 0, which is not the text's (RFC 9110, 8.6), to a HEAD without a stream.
    const body = request.method === "HEAD" ? Readable.from([]) : undefined;
    return reply.code(304).removeHeader("content-type").send(body);
  }
  if (encoding === "identity") return reply.send(text);
  const known = getOrCreate(compressed, content, () => ({}));
  known[encoding] ??= compress(text, encoding, LEVEL);
  return reply.header("content-encoding", encoding).send(await known[encoding]);
}

/** True if `If-None-Match` includes a tag, strong or weak, because proxies that compress weaken the tags. */
function matches(condition: string | undefined, tags: readonly string[]): boolean {
  if (condition === undefined) return false;
  if (condition.trim() === "*") return true;
  return condition.split(",").some((each) => tags.includes(each.trim().replace(/^W\//, "")));
}
