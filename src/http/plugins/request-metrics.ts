import type { FastifyReply, FastifyRequest } from "fastify";
import { ROUTES } from "../../features";
import type { Metrics } from "../../telemetry/metrics";

const METHODS = new Set(["GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"]);
const REST = new Set<string>(ROUTES.map(({ path }) => path));

/** Counts a request that has ended, and how long it took, by the pattern of its route: a URL is the client's to choose. */
export const countRequest =
  (metrics: Metrics) =>
  (request: FastifyRequest, reply: FastifyReply): void => {
    const route = request.routeOptions.url ?? "unknown";
    const door = doorOf(route);
    const method = METHODS.has(request.method) ? request.method : "other";
    const status = reply.raw.writableFinished ? String(reply.raw.statusCode) : "aborted";
    metrics.requests.at(door, route, method, status).add();
    metrics.durations.at(door, route, method).add(reply.elapsedTime / 1000);
  };

function doorOf(route: string): string {
  if (route === "/graphql") return "graphql";
  if (REST.has(route)) return "rest";
  return route.startsWith("/dashboard") ? "dashboard" : "other";
}
