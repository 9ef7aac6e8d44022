import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";

/** Where a request came from, for logs and limits: what a trusted proxy forwards, if that is an address at all. */
export const clientAddress = ({ ip, socket }: FastifyRequest): string | null =>
  isIP(ip) === 0 ? (socket.remoteAddress ?? null) : ip.slice(0, 45);
