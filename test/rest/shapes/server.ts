import type { FastifyInstance } from "fastify";
import pino from "pino";
import { loadConfig } from "../../../src/config";
import { collectMethods } from "../../../src/http/plugins/allowed-methods";
import { InFlightRequests } from "../../../src/http/plugins/in-flight-requests";
import { createHttpServer } from "../../../src/http/server";
import { compileRoutes } from "../../../src/rest/compiled-route";
import { addRestRoutes } from "../../../src/rest/rest";
import type { RestRoute } from "../../../src/schema/rest-route";
import { createShapes } from "./schema";

export const schema = createShapes();

/** Starts the gateway's HTTP server with these routes and the schema of shapes, for anonymous callers. */
export async function startServer(served: readonly RestRoute[]): Promise<FastifyInstance> {
  const config = loadConfig({});
  const app = await createHttpServer(config, pino({ level: "silent" }), new InFlightRequests(() => {}));
  const rejectOtherMethods = collectMethods(app);
  await app.register(async (scope) => {
    scope.addHook("onRequest", async (request) => {
      request.callContext = {
        caller: { kind: "anonymous" },
        origin: { ip: null, userAgent: null, requestId: null },
      };
    });
    addRestRoutes(scope, schema, compileRoutes(served, schema));
  });
  rejectOtherMethods();
  return app;
}
