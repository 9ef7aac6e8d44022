import type { FastifyInstance } from "fastify";
import { GatewayError } from "../../errors";

/** Max header fields, far more than clients send; Node silently drops fields beyond 2,000. */
const MAX_FIELDS = 200;

/** A name or an address with an optional port (RFC 9110, 7.2); empty if the target has no authority. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])?(:\d{1,5})?$/i;

const CLOSE = { headers: { connection: "close" } };

/**
 * Rejects requests that two servers may interpret differently (RFC 9112, 3.2 and 6.1): repeated hosts, credentials,
 * content types or idempotency keys, a transfer encoding that Node ignores, or too many headers.
 */
export function rejectAmbiguousRequests(app: FastifyInstance): void {
  app.addHook("onRequest", (request, _, done) => {
    const { raw } = request;
    const { headers, rawHeaders } = raw;
    if (rawHeaders.length > 2 * MAX_FIELDS) {
      throw new GatewayError("header_fields_too_large", `The request has more than ${MAX_FIELDS} headers.`);
    }
    rejectRepeated(rawHeaders);
    const { host, "transfer-encoding": encoding } = headers;
    if (host === undefined ? raw.httpVersion !== "1.0" : !HOST.test(host)) {
      throw new GatewayError("invalid_request", "The Host header is not valid.");
    }
    if (encoding !== undefined && (encoding.toLowerCase() !== "chunked" || raw.httpVersion === "1.0")) {
      throw new GatewayError("invalid_request", "The only supported Transfer-Encoding is chunked.", CLOSE);
    }
    done();
  });
}

/** Headers that must not be repeated, with their error messages; Node uses the first value or joins all values. */
const SINGLE: Readonly<Record<string, string>> = {
  host: "The request has more than one Host header.",
  authorization:
    "The Authorization header must have a single value: Bearer <API_KEY>. The request contains more than one.",
  "content-type": "The request has more than one Content-Type header. Send application/json once.",
  "idempotency-key": "The request has more than one Idempotency-Key header. Send one key.",
};

/** Lengths of the names, to skip most headers without converting them to lowercase. */
const LENGTHS = new Set(Object.keys(SINGLE).map(({ length }) => length));

function rejectRepeated(rawHeaders: readonly string[]): void {
  let seen: string[] | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const { length } = rawHeaders[i] as string;
    if (!LENGTHS.has(length)) continue;
    const name = (rawHeaders[i] as string).toLowerCase();
    if (seen === undefined) seen = [name];
    else if (!seen.includes(name)) seen.push(name);
    else if (Object.hasOwn(SINGLE, name)) throw new GatewayError("invalid_request", SINGLE[name]);
  }
}
