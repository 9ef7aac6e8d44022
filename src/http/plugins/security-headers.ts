import type { FastifyInstance } from "fastify";
import type { Config } from "../../config";

/** Half a year; and not for names below this one, which may be somebody else's. */
const HTTPS_ONLY = "max-age=15552000";

/**
 * What every answer says to a browser unless a route says otherwise: not to guess types, not to run, frame, keep or
 * pass on anything, and where the service speaks HTTPS, to stay with it.
 */
export const defaultHeaders = ({ tls, publicUrl }: Pick<Config, "tls" | "publicUrl">) => ({
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  ...((tls !== undefined || publicUrl?.startsWith("https:")) && { "strict-transport-security": HTTPS_ONLY }),
});

/** Adds headers to every answer, with the id of its request. */
export function addDefaultHeaders(app: FastifyInstance, headers: Readonly<Record<string, string>>): void {
  const entries = Object.entries(headers);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    for (const [name, value] of entries) reply.header(name, value);
    done();
  });
}
