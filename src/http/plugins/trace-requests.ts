import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  trace,
} from "@opentelemetry/api";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { markFailed, tracer } from "../../common/spans";
import { pathOf } from "./allowed-methods";

/** Creates a span per request, from its head to the end of the response, without URL, headers or body. */
export function traceRequests(app: FastifyInstance): void {
  const contexts = new WeakMap<FastifyRequest, Context>();
  app.addHook("onRequest", (request, reply, done) => {
    const { traceparent } = request.headers;
    // Omits `tracestate`, because it may contain arbitrary client data.
    const parent = propagation.extract(ROOT_CONTEXT, { traceparent });
    const span = tracer.startSpan(nameOf(request), { kind: SpanKind.SERVER }, parent);
    reply.raw.on("close", () => endSpan(span, request, reply));
    const own = trace.setSpan(parent, span);
    contexts.set(request, own);
    context.with(own, done);
  });
  // Restores the context, because reading a body replaces the request's async context with the connection's.
  app.addHook("preValidation", (request, _, done) =>
    context.with(contexts.get(request) ?? ROOT_CONTEXT, done),
  );
}

const nameOf = (request: FastifyRequest): string => {
  const route = request.routeOptions.url;
  // A span for an unknown route does not contain the method, because the client may send any text as its method.
  return route === undefined ? "unknown" : `${request.method} ${route}`;
};

function endSpan(span: Span, request: FastifyRequest, { raw }: FastifyReply): void {
  const route = pathOf(request).url;
  span.setAttributes({
    "http.request.method": route === undefined ? "_OTHER" : request.method,
    ...(route !== undefined && { "http.route": route }),
    "http.response.status_code": raw.statusCode,
    "gateway.request_id": request.id,
  });
  if (!raw.writableFinished && !request.isStream) markFailed(span, "aborted");
  else if (raw.statusCode >= 500) markFailed(span, String(raw.statusCode));
  span.end();
}
