import { randomUUID } from "node:crypto";
import fastify, { type FastifyInstance, LogController } from "fastify";
import type { Logger } from "pino";
import { clientAddress, dropForwardedPorts } from "../auth/client-address";
import type { RequestContext } from "../auth/context";
import type { Config } from "../config";
import { mayHoldToken } from "../credentials/redact-tokens";
import { connectionLimits, limitConnections } from "./connection-limits";
import { handleClientErrors, logUnrouted, sendError, sendInvalidUrl } from "./error-handler";
import { routerOptions } from "./plugins/allowed-methods";
import { allowOrigins } from "./plugins/cors";
import { rejectForeignHosts } from "./plugins/host";
import type { InFlightRequests } from "./plugins/in-flight-requests";
import { shedOverload } from "./plugins/load-shedding";
import { readJsonBodies } from "./plugins/read-body";
import { rejectAmbiguousRequests } from "./plugins/request-integrity";
import { logRequests } from "./plugins/request-log";
import { addDefaultHeaders, defaultHeaders } from "./plugins/security-headers";
import { traceRequests } from "./plugins/trace-requests";
import { readTls, renewTls } from "./tls";

declare module "fastify" {
  interface FastifyRequest {
    /** The caller and its origin; set before the body is read, on routes that authenticate. */
    callContext: RequestContext;
  }

  interface FastifyInstance {
    /** Adds `Connection: close` to all later responses. */
    endConnections(): void;
  }
}

/**
 * Creates an HTTP server that is not yet listening, with everything that routes share: request IDs, JSON bodies,
 * errors, CORS and logs.
 */
export async function createHttpServer(
  config: Config,
  log: Logger,
  requests: InFlightRequests,
): Promise<FastifyInstance> {
  const headers = defaultHeaders(config);
  const limits = connectionLimits(config);
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustProxy,
    bodyLimit: config.bodyLimitBytes,
    requestTimeout: config.requestTimeoutMs,
    requestIdHeader: false,
    genReqId: ({ headers }) => requestId(headers["x-request-id"]),
    // Finish in-flight requests, but do not wait for idle connections.
    forceCloseConnections: "idle",
    return503OnClosing: false,
    clientErrorHandler: handleClientErrors(headers, log),
    // Handles errors that occur before the hooks run, such as an undecodable URL.
    frameworkErrors: (error, request, reply) => {
      sendInvalidUrl(error, request, reply.headers({ ...headers, "x-request-id": request.id }));
      logUnrouted(log, request.errorCode ?? "internal_error", {
        reqId: request.id,
        ip: clientAddress(request),
      });
    },
    // No route has a schema, but by default Fastify loads two schema compilers on every start.
    schemaController: {
      compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas },
    },
    routerOptions,
    ...(config.tls
      ? { https: { ...limits, ...readTls(config.tls), handshakeTimeout: config.requestTimeoutMs } }
      : { http: limits }),
  }) as unknown as FastifyInstance;
  limitConnections(app.server, config, log);
  if (config.tls) renewTls(app, config.tls);

  app.decorateRequest("callContext", null as never);
  app.decorateRequest("errorCode", undefined);
  requests.track(app);
  const { server } = app;
  // Serves requests with an unknown expectation (RFC 9110, 10.1.1), because Node would reject them with a bare 417.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  if (config.trustProxy !== false) dropForwardedPorts(app);
  addDefaultHeaders(app, headers);
  logRequests(app, log);
  endConnectionsOnClose(app);
  app.setErrorHandler(sendError);
  app.removeAllContentTypeParsers();
  readJsonBodies(app, config);
  await allowOrigins(app, config);
  // Added after CORS, so that pages from allowed origins can read the errors of these checks.
  shedOverload(app, config, log, requests);
  rejectAmbiguousRequests(app);
  rejectForeignHosts(app, config);
  if (config.telemetry?.urls.traces) traceRequests(app);
  return app;
}

/** @throws Error for every schema, because a route's schema would not be checked */
const withoutSchemas = (): never => {
  throw new Error("Routes have no schemas.");
};

/** Lets responses end their connections before and during shutdown, because closing an idle one may lose a request. */
function endConnectionsOnClose(app: FastifyInstance): void {
  let ending = false;
  const endConnections = () => {
    ending = true;
  };
  app.decorate("endConnections", endConnections);
  app.addHook("preClose", async () => endConnections());
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (ending) reply.header("connection", "close");
    done(null, payload);
  });
}

/** Returns the client's X-Request-Id if it is safe for logs and headers, otherwise a new one. */
const requestId = (given: string | string[] | undefined): string =>
  typeof given === "string" && /^[\w.:-]{1,64}$/.test(given) && !mayHoldToken(given) ? given : randomUUID();
