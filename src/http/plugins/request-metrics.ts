import type { FastifyReply, FastifyRequest } from "fastify";
import type { CountOperation } from "../../auth/context";
import type { Metrics } from "../../telemetry/metrics";
import { pathOf } from "./allowed-methods";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The API of a route, for metrics; `other` if omitted. */
    api?: "graphql" | "rest" | "mcp" | "dashboard";
    /** Name of a route's operation, for the usage of API keys; the method and path if omitted. */
    operation?: string;
  }
}

const METHODS = new Set(["GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"]);

/** Counts a request by its route, because clients choose the URL; a stream counts as ended when it starts. */
export const countRequest =
  (metrics: Metrics, countOperation: CountOperation) =>
  (request: FastifyRequest, reply: FastifyReply): void => {
    const { url: route = "unknown", config } = pathOf(request);
    const api = config.api ?? "other";
    const method = METHODS.has(request.method) ? request.method : "other";
    const isAnswered = reply.raw.writableFinished || request.isStream;
    const status = isAnswered ? String(reply.raw.statusCode) : "aborted";
    const outcome = isAnswered ? (request.errorCode ?? "ok") : "aborted";
    metrics.requests.labels(api, route, method, status, outcome).inc();
    metrics.durations.labels(api, route, method).observe(reply.elapsedTime / 1000);
    const { callContext, tool } = request;
    // Null if the request was not authenticated.
    if (callContext === null) return;
    const operation = tool === undefined ? callContext.answer?.operation : `tool ${tool}`;
    countOperation(callContext, operation ?? config.operation ?? `${method} ${route}`, outcome);
  };
