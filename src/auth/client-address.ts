import { isIP } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** Where a request came from, for logs and limits: what a trusted proxy forwards, if that is an address at all. */
export const clientAddress = ({ ip, socket }: FastifyRequest): string | null =>
  isIP(ip) === 0 ? (socket.remoteAddress ?? null) : ip.slice(0, 45);

/**
 * Takes the ports out of `X-Forwarded-For`, where some proxies (Azure's and IIS among them) put them: with its port an
 * address is none, so all clients would be the proxy.
 */
export function dropForwardedPorts(app: FastifyInstance): void {
  app.addHook("onRequest", (request, _, done) => {
    const { headers } = request.raw;
    const forwarded = headers["x-forwarded-for"];
    if (forwarded !== undefined) {
      headers["x-forwarded-for"] = String(forwarded).split(",").map(withoutPort).join(",");
    }
    done();
  });
}

/** `192.0.2.1:4711` is 192.0.2.1, `[2001:db8::1]:4711` and `[2001:db8::1]` are 2001:db8::1. */
const withoutPort = (text: string): string =>
  text.trim().replace(/^(?:(\d+(?:\.\d+){3})|\[([\da-f:.]+)\])(?::\d{1,5})?$/i, "$1$2");
