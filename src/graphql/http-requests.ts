import type { FastifyInstance } from "fastify";
import type { GraphQLFormattedError } from "graphql";
import { GatewayError } from "../errors";
import type { ErrorExtensions } from "./errors";

/** Rejects forms of requests that GraphQL servers may support and this one does not, with messages that say so. */
export function rejectUnsupportedRequests(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ headers: { upgrade } }) => {
    if (upgrade === undefined || !/\bwebsocket\b/i.test(upgrade)) return;
    throw new GatewayError(
      "invalid_request",
      "WebSocket connections are not supported: send each operation as an HTTP request.",
    );
  });
  app.addHook("preHandler", async ({ body }) => {
    if (!Array.isArray(body)) return;
    throw new GatewayError("invalid_request", "Batching is not supported: send one operation per request.");
  });
}

/** Notes the code of the first error of an answer on its request, for the log and metrics. */
export function noteErrorCodes(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    request.errorCode ??= request.callContext?.answer?.errorCode;
    // Apollo refuses a request without a query before it calls plugins.
    if (request.errorCode === undefined && reply.statusCode >= 400) request.errorCode = codeIn(payload);
    done(null, payload);
  });
}

function codeIn(payload: unknown) {
  const { errors } = JSON.parse(String(payload)) as { errors: readonly GraphQLFormattedError[] };
  return (errors[0]?.extensions as ErrorExtensions | undefined)?.code;
}
