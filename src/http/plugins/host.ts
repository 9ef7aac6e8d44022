import { isIP } from "node:net";
import { hostname } from "node:os";
import type { FastifyInstance } from "fastify";
import type { Config } from "../../config";
import { GatewayError } from "../../errors";

/** Refuses a Host that is none, or garbage: Apollo's handler makes a URL of it, which would fail with a 500. */
export function rejectInvalidHost(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ protocol, hostname, url }) => {
    if (!URL.canParse(url, `${protocol}://${hostname}/`)) {
      throw new GatewayError("invalid_request", "The Host header is not valid.");
    }
  });
}

/**
 * Refuses requests for hosts that the service does not answer for: a page can have its own name resolve to the address
 * of a developer's machine, and would then be a page of this service to the browser (DNS rebinding). In development all
 * names are foreign that the machine does not have; elsewhere all that `ALLOWED_HOSTS` does not list, where it is set.
 * Probes and scrapes, which come by whatever name, are exempt.
 */
export function refuseForeignHosts(
  app: FastifyInstance,
  { allowedHosts, environment, publicUrl }: Pick<Config, "allowedHosts" | "environment" | "publicUrl">,
): void {
  const isDevelopment = environment === "development";
  if (!isDevelopment && allowedHosts.length === 0) return;
  const known = new Set(allowedHosts);
  if (isDevelopment) {
    for (const name of ["", "localhost", hostname().toLowerCase()]) known.add(name);
    if (publicUrl !== undefined) known.add(new URL(publicUrl).hostname);
  }
  const isKnown = (host: string): boolean =>
    known.has(host) ||
    (isDevelopment && (host.endsWith(".localhost") || isIP(host.replace(/^\[|\]$/g, "")) > 0));
  app.addHook("onRequest", (request, _, done) => {
    // As the browser sent it: a page may add X-Forwarded-Host to its own requests.
    const host = (request.raw.headers.host ?? "").replace(/:\d+$/, "").toLowerCase();
    if (isKnown(host) || request.routeOptions.config.isManagement) done();
    else {
      done(
        new GatewayError(
          "misdirected_request",
          "The server does not answer for the host of this request. Its operator can add it to ALLOWED_HOSTS.",
        ),
      );
    }
  });
}
