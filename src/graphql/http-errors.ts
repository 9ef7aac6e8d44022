import type { FastifyReply, FastifyRequest } from "fastify";
import { setErrorHead } from "../http/error-handler";
import { extensionsOf } from "./errors";
import { mediaTypeFor } from "./plugins/http-status";

/** Responds to a failure before execution with a GraphQL error in the client's preferred media type. */
export function sendGraphQLError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = setErrorHead(error, request, reply);
  return reply
    .type(mediaTypeFor(request.headers.accept))
    .send({ errors: [{ message: known.message, extensions: extensionsOf(known) }] });
}
