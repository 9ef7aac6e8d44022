import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Tracing, type Work, within } from "../../telemetry/trace";

/** Follows requests from their head to the end of their answer. Says of them what the log does: no URL, header or body. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  const works = new WeakMap<FastifyRequest, Work>();
  app.addHook("onRequest", (request, reply, done) => {
    const route = request.routeOptions.url;
    // A method that no route has is the client's to choose.
    const method = route === undefined ? "" : request.method;
    const work = tracing.request(`${method} ${route ?? "unknown"}`.trim(), request.headers);
    works.set(request, work);
    reply.raw.on("close", () => {
      const { statusCode, writableFinished } = reply.raw;
      work.describe({
        "http.request.method": method || "_OTHER",
        ...(route !== undefined && { "http.route": route }),
        "http.response.status_code": statusCode,
        "gateway.request_id": request.id,
      });
      work.end(writableFinished ? (statusCode >= 500 ? String(statusCode) : undefined) : "aborted");
    });
    within(work, done);
  });
  // What comes after a body comes from the connection, which knows of no request.
  app.addHook("preValidation", (request, _, done) => within(works.get(request), done));
}
