import cors, { type FastifyCorsOptions } from "@fastify/cors";
import type { FastifyInstance } from "fastify";
import type { Config } from "../../config";
import { noSuch } from "../../errors";
import { RATE_LIMIT_HEADERS } from "../../rate-limits/rate-limit";

declare module "fastify" {
  interface FastifyContextConfig {
    /** CORS options of a route that override the defaults; false if no other origin may read its responses. */
    cors?: Pick<FastifyCorsOptions, "origin"> | false;
  }
}

const HOSTED_SANDBOX = "https://studio.apollographql.com";

/** Headers that pages of other origins may read. */
const EXPOSED_HEADERS = [
  ...["Link", "Last-Event-ID", "Location", "Deprecation", "Sunset", "Retry-After", "X-Request-Id"],
  "Idempotency-Replayed",
];

/**
 * Enables CORS for `CORS_ORIGINS` and, in development, for the hosted Sandbox on `/graphql`. `/metrics` and unsubscribe
 * links allow no origin, because `/metrics` needs no token in development, and only people read the pages of
 * unsubscribe links.
 */
export async function allowOrigins(
  app: FastifyInstance,
  { corsOrigins, environment }: Pick<Config, "corsOrigins" | "environment">,
): Promise<void> {
  const isDevelopment = environment === "development";
  if (corsOrigins.length === 0 && !isDevelopment) return;
  const options: FastifyCorsOptions = {
    origin: corsOrigins.length > 0 && corsOrigins,
    strictPreflight: false,
    // The routes respond to OPTIONS themselves, with `Allow`.
    preflightContinue: true,
    methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    exposedHeaders: [...EXPOSED_HEADERS, ...RATE_LIMIT_HEADERS],
    maxAge: 600,
  };
  const originsOf = (url: string): string[] => {
    if (url === "/metrics" || url.startsWith("/unsubscribe/")) return [];
    return url === "/graphql" && isDevelopment ? [...corsOrigins, HOSTED_SANDBOX] : corsOrigins;
  };
  // Sets the options per route, because the library's delegator would compute them for every request.
  app.addHook("onRoute", (route) => {
    const origin = originsOf(route.url);
    // The library adds an OPTIONS route for every path, including unknown ones.
    if (route.url === "*") route.preHandler = (_request, _reply, done) => done(noSuch("route"));
    route.config = { ...route.config, cors: origin.length > 0 && { origin } };
  });
  await app.register(cors, options);
}
