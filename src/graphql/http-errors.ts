import type { FastifyReply, FastifyRequest } from "fastify";
import { setErrorHead } from "../http/error-handler";
import { extensionsOf } from "./errors";

/** Answers a failure that precedes GraphQL execution, such as a refused key, with a GraphQL error. */
export function sendGraphQLError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = setErrorHead(error, request, reply);
  return reply.send({ errors: [{ message: known.message, extensions: extensionsOf(known) }] });
}
