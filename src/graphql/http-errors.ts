import type { FastifyReply, FastifyRequest } from "fastify";
import { setErrorHead } from "../http/error-handler";
import { extensionsOf } from "./errors";

/** Answers a failure that came before GraphQL had its turn, such as a refused key, in the form of GraphQL. */
export function answerGraphQLError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = setErrorHead(error, request, reply);
  return reply.send({ errors: [{ message: known.message, extensions: extensionsOf(known) }] });
}
