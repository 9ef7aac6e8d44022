import type { FastifyRequest } from "fastify";
import type { Config } from "../config";
import { GatewayError } from "../errors";
import { isForeign } from "./session-cookie";

/**
 * Creates the check that rejects pages of other origins unless they are listed in `CORS_ORIGINS`, for APIs that
 * browsers let any page call: WebSockets, and MCP, which requires it against DNS rebinding.
 * @returns a function that returns the error for a foreign page; undefined for other requests
 */
export function foreignOriginCheck({ corsOrigins, publicUrl }: Pick<Config, "corsOrigins" | "publicUrl">) {
  const publicOrigin = publicUrl && new URL(publicUrl).origin;
  return (request: FastifyRequest): GatewayError | undefined =>
    corsOrigins.includes(request.headers.origin ?? "") || !isForeign(request, publicOrigin)
      ? undefined
      : new GatewayError(
          "forbidden",
          "Requests from pages of other origins are rejected unless the origin is listed in CORS_ORIGINS.",
        );
}
