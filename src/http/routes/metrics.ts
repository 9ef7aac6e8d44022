import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { isLoopback } from "../../common/network";
import type { Config } from "../../config";
import { sha256 } from "../../credentials/sha256";
import { GatewayError } from "../../errors";
import { negotiated } from "../../telemetry/open-metrics";
import { MANAGEMENT } from "./management";

/** Adds `/metrics` for Prometheus, with access control, because metrics reveal business volume. */
export function addMetricsRoute(
  app: FastifyInstance,
  readMetrics: () => Promise<string>,
  config: Pick<Config, "metricsToken" | "environment">,
): void {
  app.get("/metrics", MANAGEMENT, async (request, reply) => {
    assertMayRead(request, config);
    const { type, text } = negotiated(await readMetrics(), request.headers.accept);
    reply.type(type);
    return text;
  });
}

/**
 * Allows callers with the token or, if no token is set in development, local programs. Proxies are detected
 * by the headers that they add, and DNS rebinding by the Host header.
 * @throws GatewayError `unauthenticated` or `forbidden`
 */
function assertMayRead(
  { headers, socket, hostname }: FastifyRequest,
  { metricsToken, environment }: Pick<Config, "metricsToken" | "environment">,
): void {
  if (metricsToken !== undefined) {
    if (isSame(headers.authorization ?? "", `Bearer ${metricsToken}`)) return;
    throw new GatewayError(
      "unauthenticated",
      "This request requires an Authorization header: Bearer <METRICS_TOKEN>.",
    );
  }
  const isForwarded = PROXY_HEADERS.some((name) => headers[name] !== undefined);
  if (
    environment === "development" &&
    !isForwarded &&
    isLoopback(socket.remoteAddress) &&
    isLocal(hostname)
  ) {
    return;
  }
  throw new GatewayError("forbidden", "Metrics are disabled on this port until METRICS_TOKEN is set.");
}

const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(expected)));

const PROXY_HEADERS = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

const isLocal = (hostname: string): boolean =>
  hostname.toLowerCase() === "localhost" || isLoopback(hostname.replace(/^\[|\]$/g, ""));
