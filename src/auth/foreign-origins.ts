import type { FastifyRequest } from "fastify";
import type { Config } from "../config";
import { GatewayError } from "../errors";
import { isForeign } from "./session-cookie";

/**
 * Creates the check that rejects requests from pages of other origins unless `CORS_ORIGINS` lists the origin. It
 * protects WebSockets, because browsers let any page open them, and MCP, because its specification requires the check
 * to prevent DNS rebinding.
 * @returns a function that returns the error for a request from a foreign page, or undefined for other requests
 */
export function foreignOriginCheck({ corsOrigins, publicUrl }: Pick<Config, "corsOrigins" | "publicUrl">) {
  const publicOrigin = publicUrl && new URL(publicUrl).origin;
  return (request: FastifyRequest): GatewayError | undefined =>
    corsOrigins.includes(request.headers.origin ?? "") || !isForeign(request, publicOrigin)
      ? undefined
      : new GatewayError(
          "forbidden",
          "Requests from pages on other origins are rejected unless the origin is listed in CORS_ORIGINS.",
        );
}
