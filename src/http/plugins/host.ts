import { isIP } from "node:net";
import { hostname } from "node:os";
import type { FastifyInstance } from "fastify";
import type { Config } from "../../config";
import { GatewayError } from "../../errors";

/** Rejects an invalid Host header, because Apollo's handler would fail with a 500 when it builds a URL. */
export function rejectInvalidHost(app: FastifyInstance): void {
  /** The last valid address, cached because most requests repeat it. */
  let valid: string | undefined;
  app.addHook("onRequest", ({ protocol, hostname, url }, _reply, done) => {
    const address = `${protocol}://${hostname}/ ${url}`;
    if (address === valid) return done();
    if (!URL.canParse(url, `${protocol}://${hostname}/`))
      return done(new GatewayError("invalid_request", "The Host header is not valid."));
    valid = address;
    done();
  });
}

/**
 * Rejects requests for foreign hosts, to prevent DNS rebinding. `ALLOWED_HOSTS` and the host of `PUBLIC_URL` are
 * allowed; in development, so are the names of this machine and any IP address. Outside development, all hosts are
 * allowed unless `ALLOWED_HOSTS` is set. Probes and scrapes are exempt.
 */
export function rejectForeignHosts(
  app: FastifyInstance,
  { allowedHosts, environment, publicUrl }: Pick<Config, "allowedHosts" | "environment" | "publicUrl">,
): void {
  const isDevelopment = environment === "development";
  if (!isDevelopment && allowedHosts.length === 0) return;
  const known = new Set(allowedHosts);
  if (isDevelopment) {
    for (const name of ["", "localhost", hostname().toLowerCase()]) known.add(name);
  }
  if (publicUrl !== undefined) known.add(new URL(publicUrl).hostname);
  const isKnown = (host: string): boolean =>
    known.has(host) ||
    (isDevelopment && (host.endsWith(".localhost") || isIP(host.replace(/^\[|\]$/g, "")) > 0));
  /** The last accepted header, cached because most requests repeat it. */
  let accepted: string | undefined;
  app.addHook("onRequest", (request, _, done) => {
    // X-Forwarded-Host is ignored, because pages can set it.
    const { host = "" } = request.raw.headers;
    if (host === accepted) done();
    else if (isKnown(host.replace(/:\d+$/, "").toLowerCase())) {
      accepted = host;
      done();
    } else if (request.routeOptions.config.isManagement) done();
    else {
      done(
        new GatewayError(
          "misdirected_request",
          "This server does not serve the host in the request. The operator can add the host to ALLOWED_HOSTS.",
        ),
      );
    }
  });
}
