import type { FastifyInstance } from "fastify";
import { ROUTES } from "../rest/routes";
import type { Metrics } from "../telemetry/metrics";

const METHODS = new Set(["GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"]);
const REST = new Set<string>(ROUTES.map(({ path }) => path));

/** Counts requests and how long they take, by the pattern of their route: a URL is the client's to choose. */
export function measureRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook("onRequest", (request, reply, done) => {
    metrics.inFlight += 1;
    // The one event that comes in any case, also where the client goes away before it has its answer.
    reply.raw.on("close", () => {
      metrics.inFlight -= 1;
      const route = request.routeOptions.url ?? "unknown";
      const door = doorOf(route);
      const method = METHODS.has(request.method) ? request.method : "other";
      const status = reply.raw.writableFinished ? String(reply.raw.statusCode) : "aborted";
      metrics.requests.at(door, route, method, status).add();
      metrics.durations.at(door, route, method).add(reply.elapsedTime / 1000);
    });
    done();
  });
}

function doorOf(route: string): string {
  if (route === "/graphql") return "graphql";
  if (REST.has(route)) return "rest";
  return route.startsWith("/dashboard") ? "dashboard" : "other";
}
