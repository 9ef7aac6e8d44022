import { isIP } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** Returns the client's IP address for logs and limits: the address forwarded by a trusted proxy, if it is valid. */
export const clientAddress = ({ ip, socket }: FastifyRequest): string | null =>
  isIP(ip) === 0 ? (socket.remoteAddress ?? null) : ip.slice(0, 45);

/** Removes the ports that some proxies (Azure, IIS) add, because an address with a port is invalid and ignored. */
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

/** `192.0.2.1:4711` becomes 192.0.2.1; `[2001:db8::1]:4711` and `[2001:db8::1]` become 2001:db8::1. */
const withoutPort = (text: string): string =>
  text.trim().replace(/^(?:(\d+(?:\.\d+){3})|\[([\da-f:.]+)\])(?::\d{1,5})?$/i, "$1$2");
