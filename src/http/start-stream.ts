import type { FastifyReply, FastifyRequest } from "fastify";
import { logRequest } from "./plugins/request-log";

/**
 * Takes a response out of Fastify's hands as a stream that may last for hours: from now on, its request counts as answered.
 * Call it before writing to the raw response.
 * @param status status of the response
 */
export function startStream(request: FastifyRequest, reply: FastifyReply, status: 101 | 200): void {
  reply.hijack();
  reply.raw.statusCode = status;
  request.isStream = true;
  request.endTracking?.();
  logRequest(request, reply);
}
