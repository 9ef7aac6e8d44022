import cors, { type FastifyCorsOptions } from "@fastify/cors";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../../config";
import { GatewayError } from "../../errors";
import { RATE_LIMIT_HEADERS } from "../../rate-limits/rate-limit";

const HOSTED_SANDBOX = "https://studio.apollographql.com";

/** Headers that pages of other origins may read. */
const EXPOSED_HEADERS = ["Link", "Location", "Deprecation", "Sunset", "Retry-After", "X-Request-Id"];

/**
 * Enables CORS for `CORS_ORIGINS`, and in development for the hosted Sandbox on `/graphql`. `/metrics` allows no origin,
 * because in development it needs no token.
 */
export async function allowOrigins(
  app: FastifyInstance,
  {
    corsOrigins,
    environment,
    rateLimitPerMinute,
  }: Pick<Config, "corsOrigins" | "environment" | "rateLimitPerMinute">,
): Promise<void> {
  const isDevelopment = environment === "development";
  if (corsOrigins.length === 0 && !isDevelopment) return;
  const options: FastifyCorsOptions = {
    origin: corsOrigins,
    strictPreflight: false,
    // The routes answer OPTIONS themselves, with `Allow`.
    preflightContinue: true,
    methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    exposedHeaders: [...EXPOSED_HEADERS, ...(rateLimitPerMinute > 0 ? RATE_LIMIT_HEADERS : [])],
    maxAge: 600,
  };
  const none = { ...options, origin: false };
  const sandbox = { ...options, origin: isDevelopment ? [...corsOrigins, HOSTED_SANDBOX] : corsOrigins };
  // The library adds a route for OPTIONS of every path, also of unknown ones.
  app.addHook("preHandler", (request, _, done) => {
    const isKnown = request.method !== "OPTIONS" || request.routeOptions.url !== "*";
    done(isKnown ? undefined : new GatewayError("not_found", "There is no such route."));
  });
  await app.register(cors, {
    delegator: (
      { routeOptions }: FastifyRequest,
      done: (error: null, options: FastifyCorsOptions) => void,
    ) => {
      if (routeOptions.url === "/metrics") done(null, none);
      else if (routeOptions.url === "/graphql") done(null, sandbox);
      else done(null, corsOrigins.length > 0 ? options : none);
    },
  });
}
