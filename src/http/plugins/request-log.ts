import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { type Caller, keyOf } from "../../auth/caller";
import { clientAddress } from "../../auth/client-address";
import { pathOf } from "./allowed-methods";

declare module "fastify" {
  interface FastifyRequest {
    /** Name of the MCP tool that the request calls. */
    tool: string | undefined;
  }
}

/** Logs a line per request, without query, headers or body; shed requests in aggregate, streams when they start. */
export function logRequests(app: FastifyInstance, log: Logger): void {
  app.decorateRequest("tool", undefined);
  if (!log.isLevelEnabled("info")) return;
  app.addHook("onResponse", (request, reply, done) => {
    if (!request.wasShed && !request.isStream) logRequest(request, reply);
    done();
  });
}

export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  // Uses the server's log, because `request.log` would be created just for this line.
  request.server.log.info(
    {
      reqId: request.id,
      method: request.method,
      route: pathOf(request).url ?? "unknown",
      ...(request.tool && { tool: request.tool }),
      status: request.isStream ? reply.raw.statusCode : reply.statusCode,
      ...(request.errorCode && { code: request.errorCode }),
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ip: clientAddress(request),
      ...callerOf(request.callContext?.caller),
    },
    "request",
  );
}

function callerOf(caller: Caller | undefined): Record<string, string> {
  if (caller?.kind === "member") return { member: caller.id };
  const key = caller && keyOf(caller);
  return key === undefined ? {} : { key: key.hint };
}
