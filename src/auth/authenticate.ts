import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { excerpt } from "../credentials/redact-tokens";
import type { RateLimit } from "../rate-limits/rate-limit";
import { keyOf, type Origin, ownerOf } from "./caller";
import { clientAddress } from "./client-address";
import type { Credentials, RequestContext, SessionCookie } from "./context";

declare module "fastify" {
  interface FastifyRequest {
    /** True if the request was still incomplete when its caller was authenticated. */
    isHeldBack: boolean;
  }
}

/** Returns the origin of a request as recorded in the audit log. */
export const originOf = (request: FastifyRequest): Origin => ({
  ip: clientAddress(request),
  userAgent: excerpt(request.headers["user-agent"] ?? "", 200) || null,
  requestId: request.id,
});

/**
 * Authenticates each request before its body is read, and applies load limits and the rate limit. If the body is still
 * incomplete, the caller is authenticated again when the body has arrived, which may take until the request timeout.
 * Adds the header `Idempotency-Replayed` to replayed responses.
 * @param createContext authenticates a request; `again` is true the second time
 * @param rateLimit counts requests that use an API key
 * @param cookieOf reads the session cookie of a request; if omitted, cookies are ignored
 */
export function authenticateRequests(
  app: FastifyInstance,
  createContext: (credentials: Credentials, again?: boolean) => Promise<RequestContext>,
  rateLimit: RateLimit,
  cookieOf?: (request: FastifyRequest, reply: FastifyReply) => SessionCookie | undefined,
): void {
  const credentialsOf = (request: FastifyRequest, reply: FastifyReply): Credentials => ({
    authorization: request.headers.authorization,
    cookie: cookieOf?.(request, reply),
    origin: originOf(request),
    outsideLoad: (work) => request.outsideLoad(work),
    isGone: () => request.raw.socket.destroyed,
  });
  app.decorateRequest("isHeldBack", false);
  app.addHook("onRequest", async (request, reply) => {
    request.callContext = await createContext(credentialsOf(request, reply));
    // Most requests arrive complete, so their callers need no second check.
    if (!request.raw.complete) request.isHeldBack = true;
    const { caller } = request.callContext;
    const organizationId = ownerOf(caller);
    if (organizationId !== undefined) request.countLoadOf(organizationId, { isCredential: true });
    const key = keyOf(caller);
    const counted = key && rateLimit(key);
    if (counted === undefined) return;
    reply.headers(counted.headers);
    if (counted.rejection !== undefined) throw counted.rejection;
  });
  app.addHook("preValidation", (request, reply, done) => {
    if (!request.isHeldBack) {
      done();
      return;
    }
    const renew = async () => {
      request.callContext = await createContext(credentialsOf(request, reply), true);
    };
    renew().then(() => done(), done);
  });
  app.addHook("onSend", ({ callContext }, reply, payload, done) => {
    if (callContext?.answer?.isReplayed) reply.header("idempotency-replayed", "true");
    done(null, payload);
  });
}
