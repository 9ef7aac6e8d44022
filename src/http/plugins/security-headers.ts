import type { FastifyInstance } from "fastify";
import type { Config } from "../../config";

/** Half a year, without subdomains, because others may operate them. */
const STRICT_TRANSPORT_SECURITY = "max-age=15552000";

/** Returns the default response headers, which routes may override. They include HSTS if clients use HTTPS. */
export const defaultHeaders = ({ tls, publicUrl }: Pick<Config, "tls" | "publicUrl">) => ({
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  ...((tls !== undefined || publicUrl?.startsWith("https:")) && {
    "strict-transport-security": STRICT_TRANSPORT_SECURITY,
  }),
});

/** Adds headers and the request ID to every response. */
export function addDefaultHeaders(app: FastifyInstance, headers: Readonly<Record<string, string>>): void {
  const entries = Object.entries(headers);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    for (const [name, value] of entries) reply.header(name, value);
    done();
  });
}
