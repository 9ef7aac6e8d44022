import type { FastifyReply, FastifyRequest } from "fastify";
import { logRequest } from "./plugins/request-log";

/** Detaches a response before its first write, to stream it for hours; its request then counts as answered. */
export function startStream(request: FastifyRequest, reply: FastifyReply, status: 101 | 200): void {
  reply.hijack();
  reply.raw.statusCode = status;
  request.isStream = true;
  request.endTracking?.();
  logRequest(request, reply);
}
