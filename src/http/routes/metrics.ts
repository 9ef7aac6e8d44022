import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { isLoopback } from "../../common/network";
import type { Config } from "../../config";
import { sha256 } from "../../credentials/sha256";
import { GatewayError } from "../../errors";
import type { Metrics } from "../../telemetry/metrics";
import { MANAGEMENT } from "./management";

/** `/metrics`: how the service does, for Prometheus. It tells how much business there is, so not everybody is told. */
export function addMetricsRoute(
  app: FastifyInstance,
  metrics: Metrics,
  config: Pick<Config, "metricsToken" | "environment">,
): void {
  app.get("/metrics", MANAGEMENT, async (request, reply) => {
    assertMayRead(request, config);
    reply.type(metrics.contentType);
    return metrics.text();
  });
}

/**
 * With a token, whoever has it; without one, programs on the machine of a developer. Elsewhere a proxy may stand on the
 * same machine, and all the world would come from there; here one gives itself away by the headers that it adds, and a
 * web page for whose name this machine's address was given out by the name that it asks for.
 */
function assertMayRead(
  { headers, socket, hostname }: FastifyRequest,
  { metricsToken, environment }: Pick<Config, "metricsToken" | "environment">,
): void {
  if (metricsToken !== undefined) {
    if (isSame(headers.authorization ?? "", `Bearer ${metricsToken}`)) return;
    throw new GatewayError("unauthenticated", "This needs an Authorization header: Bearer <METRICS_TOKEN>.");
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
  throw new GatewayError("forbidden", "Metrics are off here until METRICS_TOKEN is set.");
}

const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(expected)));

const PROXY_HEADERS = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

const isLocal = (hostname: string): boolean =>
  hostname.toLowerCase() === "localhost" || isLoopback(hostname.replace(/^\[|\]$/g, ""));
