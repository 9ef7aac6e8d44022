import type { FastifyReply, FastifyRequest } from "fastify";
import { logRequest } from "./plugins/request-log";

/**
 * Detaches a response from Fastify so that it can be streamed for hours; its request then counts as answered.
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
