import type { FastifyContextConfig, FastifyInstance, FastifyRequest, HTTPMethods } from "fastify";
import findMyWay, { type HTTPMethod } from "find-my-way";
import { getOrCreate } from "../../common/get-or-create";
import { GatewayError, noSuch } from "../../errors";

/** Methods that routes can have, in the order of `Allow`. */
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** Allows path parameters up to Node's limit for URLs, so that long and short IDs pass the same checks. */
export const routerOptions = { maxParamLength: 16_384 };

/** The method under which all paths are registered with the router, which is used only to match paths. */
const ANY: HTTPMethod = "GET";

interface Path {
  url?: string;
  config: FastifyContextConfig;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The path of a request whose method has no route. */
    unroutedPath: Path | undefined;
  }
}

/** Returns the path that a request matched; its `url` is undefined if the path is unknown. */
export const pathOf = (request: FastifyRequest): Path => request.unroutedPath ?? request.routeOptions;

/**
 * Collects the routes added after this call, and responds to requests for unknown paths with 404.
 * @returns a function that, after the last route, makes each path respond with `Allow` to OPTIONS, and with 405 (RFC
 *   9110, 15.5.6) to methods without a route, before authentication and without reading the body
 */
export function collectMethods(app: FastifyInstance): () => void {
  const paths = new Map<string, { methods: string[]; config: FastifyContextConfig }>();
  app.addHook("onRoute", ({ url, method, config = {} }) => {
    getOrCreate(paths, url, () => ({ methods: [], config })).methods.push(...[method].flat());
  });
  // Routes for all other methods would take up a tenth of the startup time.
  const known = findMyWay(routerOptions);
  app.decorateRequest("unroutedPath", undefined);
  app.register(async (unrouted) => {
    unrouted.addHook("onRequest", async (request) => {
      const path: (Path & { allow: string }) | undefined = known.find(ANY, request.url)?.store;
      if (path === undefined) return;
      request.unroutedPath = path;
      throw notAllowed(path.allow);
    });
    unrouted.setNotFoundHandler(async () => {
      throw noSuch("route");
    });
  });
  return () => {
    for (const [url, { methods, config }] of [...paths]) {
      const allowed = METHODS.filter((method) => method === "OPTIONS" || methods.includes(method));
      const allow = allowed.join(", ");
      known.on(ANY, url, () => undefined, { url, config, allow });
      const others = app.supportedMethods.filter((method) => !allowed.includes(method)) as HTTPMethods[];
      app.route({
        // Other methods would otherwise match the routes of a more general path.
        method: ["OPTIONS", ...others.filter((method) => app.findRoute({ method, url }) !== null)],
        url,
        config,
        onRequest: async ({ method }) => {
          if (method !== "OPTIONS") throw notAllowed(allow);
        },
        handler: async (_, reply) => reply.code(204).header("allow", allow).send(),
      });
    }
  };
}

const notAllowed = (allow: string): GatewayError =>
  new GatewayError("method_not_allowed", undefined, { headers: { allow } });
