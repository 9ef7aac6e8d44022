import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { excerpt } from "../credentials/redact-tokens";
import type { RateLimit } from "../rate-limits/rate-limit";
import { clientAddress } from "./client-address";
import type { Credentials, RequestContext, SessionCookie } from "./context";

declare module "fastify" {
  interface FastifyRequest {
    /** Whether some of it was still to come when its caller was found out. */
    isHeldBack: boolean;
  }
}

/**
 * Finds out who calls before anything of the body is read, and refuses a key that calls too often. A client may keep
 * the rest of its request back for as long as a request may take, so who calls is then found out once more.
 * @param createContext is told whether it is the second time for the request
 * @param rateLimit counts the requests of a key; undefined for no limit
 * @param cookieOf gives a request its session cookie; left out, cookies are not looked at
 */
export function authenticateRequests(
  app: FastifyInstance,
  createContext: (credentials: Credentials, again?: boolean) => Promise<RequestContext>,
  rateLimit: RateLimit | undefined,
  cookieOf?: (request: FastifyRequest, reply: FastifyReply) => SessionCookie | undefined,
): void {
  const credentialsOf = (request: FastifyRequest, reply: FastifyReply): Credentials => ({
    authorization: request.headers.authorization,
    cookie: cookieOf?.(request, reply),
    origin: {
      ip: clientAddress(request),
      userAgent: excerpt(request.headers["user-agent"] ?? "", 200) || null,
      requestId: request.id,
    },
    outsideLoad: (work) => request.outsideLoad(work),
  });
  app.decorateRequest("isHeldBack", false);
  app.addHook("onRequest", async (request, reply) => {
    request.callContext = await createContext(credentialsOf(request, reply));
    // Most requests are here as a whole by now: they are not asked again.
    if (!request.raw.complete) request.isHeldBack = true;
    const { caller } = request.callContext;
    if (rateLimit === undefined || caller.kind !== "agent") return;
    const { headers, refusal } = rateLimit(caller.key.id);
    reply.headers(headers);
    if (refusal !== undefined) throw refusal;
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
}
