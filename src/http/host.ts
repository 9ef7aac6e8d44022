import type { FastifyInstance } from "fastify";
import { GatewayError } from "../errors";

/** Refuses a Host that is none, or garbage: Apollo's handler makes a URL of it, which would fail with a 500. */
export function refuseInvalidHost(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ protocol, hostname, url }) => {
    if (!URL.canParse(url, `${protocol}://${hostname}/`)) {
      throw new GatewayError("invalid_request", "The Host header is not valid.");
    }
  });
}
