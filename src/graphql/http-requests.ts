import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { GraphQLFormattedError } from "graphql";
import { GatewayError } from "../errors";
import { setErrorHead } from "../http/error-handler";
import { type ErrorExtensions, extensionsOf } from "./errors";
import { mediaTypeFor } from "./plugins/http-status";

/** Rejects request formats that other GraphQL servers support, with a message that says what to send instead. */
export function rejectUnsupportedRequests(app: FastifyInstance): void {
  const reject = (message: string) => new GatewayError("invalid_request", message);
  app.addHook("onRequest", ({ headers: { upgrade } }, _reply, done) => {
    if (upgrade === undefined || !/\bwebsocket\b/i.test(upgrade)) done();
    else
      done(
        reject(
          "A WebSocket handshake requires GET and the header Connection: Upgrade, which a proxy may have removed.",
        ),
      );
  });
  app.addHook("preHandler", ({ body }, _reply, done) => {
    if (!Array.isArray(body)) done();
    else done(reject("Batching is not supported: send one operation per request."));
  });
}

/** Responds to a failure before execution with a GraphQL error in the client's preferred media type. */
export function sendGraphQLError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = setErrorHead(error, request, reply);
  return reply
    .type(mediaTypeFor(request.headers.accept))
    .send({ errors: [{ message: known.message, extensions: extensionsOf(known) }] });
}

/** Sets `request.errorCode` to the first error code of a response. */
export function noteErrorCodes(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    request.errorCode ??= request.callContext?.answer?.errorCode;
    // Apollo rejects a request without a query before it calls plugins.
    if (request.errorCode === undefined && reply.statusCode >= 400) request.errorCode = codeIn(payload);
    done(null, payload);
  });
}

function codeIn(payload: unknown) {
  const { errors } = JSON.parse(String(payload)) as { errors: readonly GraphQLFormattedError[] };
  return (errors[0]?.extensions as ErrorExtensions | undefined)?.code;
}
