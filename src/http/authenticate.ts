import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Credentials, RequestContext, SessionCookie } from "../context";
import { excerpt } from "../keys/redact-tokens";
import type { RateLimit } from "../limits/rate-limit";
import { clientAddress } from "./client-address";

/**
 * Finds out who calls before anything of the body is read, and refuses a key that calls too often.
 * @param rateLimit counts the requests of a key; undefined for no limit
 * @param cookieOf gives a request its session cookie; left out, cookies are not looked at
 */
export function authenticateRequests(
  app: FastifyInstance,
  createContext: (credentials: Credentials) => Promise<RequestContext>,
  rateLimit: RateLimit | undefined,
  cookieOf?: (request: FastifyRequest, reply: FastifyReply) => SessionCookie | undefined,
): void {
  app.addHook("onRequest", async (request, reply) => {
    request.gateway = await createContext({
      authorization: request.headers.authorization,
      cookie: cookieOf?.(request, reply),
      origin: {
        ip: clientAddress(request),
        userAgent: excerpt(request.headers["user-agent"] ?? "", 200) || null,
        requestId: request.id,
      },
    });
    request.gateway.outsideLoad = (work) => request.outsideLoad(work);
    const { caller } = request.gateway;
    if (rateLimit === undefined || caller.kind !== "agent") return;
    const { headers, refusal } = rateLimit(caller.key.id);
    reply.headers(headers);
    if (refusal !== undefined) throw refusal;
  });
}
