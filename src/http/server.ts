import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { METHODS } from "node:http";
import { createSecureContext } from "node:tls";
import cors from "@fastify/cors";
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from "fastify";
import type { Logger } from "pino";
import type { Config } from "../config";
import type { RequestContext } from "../context";
import { GatewayError, StartupError } from "../errors";
import { holdsToken } from "../keys/redact-tokens";
import { answerClientError, answerError } from "./error-answer";
import { parseJson, requireJson } from "./json-body";
import { shedOverload } from "./overload";
import { logRequests } from "./request-log";

declare module "fastify" {
  interface FastifyRequest {
    /** Who calls and from where; set before the body is read, on the routes that ask for it. */
    gateway: RequestContext;
  }
}

const HOSTED_SANDBOX = "https://studio.apollographql.com";

/** The HTTP server with all that the doors share: request ids, JSON bodies, errors, CORS, logs. Never listens. */
export async function createHttpServer(config: Config, log: Logger): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustProxy,
    bodyLimit: config.bodyLimitBytes,
    requestIdHeader: false,
    genReqId: ({ headers }) => requestId(headers["x-request-id"]),
    // What is under way is finished, idle connections are not waited for.
    forceCloseConnections: "idle",
    clientErrorHandler: answerClientError,
    frameworkErrors: answerError,
    // As long as Node lets a URL be, so that a long petId meets the same checks as a short one.
    routerOptions: { maxParamLength: 16_384 },
    ...(config.tls && { https: readTls(config.tls) }),
  }) as unknown as FastifyInstance;

  // Fastify knows only the common ones; the others are to be 405 on a path that has routes, not 404.
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  shedOverload(app, config, log);
  app.decorateRequest("gateway", null as never);
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  logRequests(app);
  endConnectionsOnClose(app);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(async () => {
    throw new GatewayError("not_found", "There is no such route.");
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async ({ headers }: FastifyRequest, body: Buffer) => {
      requireJson(headers["content-type"]);
      return parseJson(body);
    },
  );
  const origins = [...config.corsOrigins, ...(config.environment === "development" ? [HOSTED_SANDBOX] : [])];
  if (origins.length > 0) {
    await app.register(cors, {
      origin: origins,
      strictPreflight: false,
      // The routes answer OPTIONS themselves, with `Allow`.
      preflightContinue: true,
      methods: ["GET", "HEAD", "POST"],
      exposedHeaders: ["Link", "Location", "Deprecation", "Sunset", "Retry-After", "X-Request-Id"],
      maxAge: 600,
    });
  }
  return app;
}

/** Answers what is under way at a stop with `Connection: close`; a client that keeps its connection would hold it up. */
function endConnectionsOnClose(app: FastifyInstance): void {
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (closing) reply.header("connection", "close");
    done(null, payload);
  });
}

/** A client's own X-Request-Id where it is fit for logs and headers, otherwise a new one. */
const requestId = (given: string | string[] | undefined): string =>
  typeof given === "string" && /^[\w.:-]{1,64}$/.test(given) && !holdsToken(given) ? given : randomUUID();

function readTls({ certFile, keyFile }: NonNullable<Config["tls"]>): { cert: Buffer; key: Buffer } {
  try {
    const files = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
    createSecureContext(files);
    return files;
  } catch (cause) {
    throw new StartupError("TLS_CERT_FILE and TLS_KEY_FILE cannot be used", { cause });
  }
}
