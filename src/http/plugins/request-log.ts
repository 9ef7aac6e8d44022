import type { FastifyInstance } from "fastify";
import type { Caller } from "../../auth/caller";
import { clientAddress } from "../../auth/client-address";

/**
 * One line a request: what was asked by whom, and how it went. No query string, header or body. Those refused because
 * there was too much to do are told of all together.
 */
export function logRequests(app: FastifyInstance): void {
  app.addHook("onResponse", async (request, reply) => {
    if (request.wasShed) return;
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? "unknown",
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ip: clientAddress(request),
        ...callerOf(request.callContext?.caller),
      },
      "request",
    );
  });
}

function callerOf(caller: Caller | undefined): Record<string, string> {
  if (caller?.kind === "agent") return { key: caller.key.hint };
  return caller?.kind === "member" ? { member: caller.id } : {};
}
