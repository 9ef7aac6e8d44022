import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Credentials, RequestContext, SessionCookie } from "../context";
import { excerpt } from "../keys/redact-tokens";
import { clientAddress } from "./client-address";

/**
 * Finds out who calls before anything of the body is read; nothing of the answer may be stored by caches.
 * @param cookieOf gives a request its session cookie; left out, cookies are not looked at
 */
export function authenticateRequests(
  app: FastifyInstance,
  createContext: (credentials: Credentials) => Promise<RequestContext>,
  cookieOf?: (request: FastifyRequest, reply: FastifyReply) => SessionCookie | undefined,
): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.header("cache-control", "no-store");
    request.gateway = await createContext({
      authorization: valuesOf(request.raw.rawHeaders, "authorization"),
      cookie: cookieOf?.(request, reply),
      origin: {
        ip: clientAddress(request),
        userAgent: excerpt(request.headers["user-agent"] ?? "", 200) || null,
        requestId: request.id,
      },
    });
  });
}

/** Every value of a header: Node itself would drop all but the first of some. */
function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === name) values.push(rawHeaders[i + 1] ?? "");
  }
  return values;
}
