import type { FastifyContextConfig, FastifyInstance, HTTPMethods } from "fastify";
import findMyWay, { type HTTPMethod } from "find-my-way";
import { GatewayError, noSuch } from "../../errors";

/** Methods that routes can have, in the order of `Allow`. */
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** Allows path parameters up to Node's limit for URLs, so that long and short IDs pass the same checks. */
export const routerOptions = { maxParamLength: 16_384 };

/** Stands for all methods, because the router is used only for paths. */
const ANY: HTTPMethod = "GET";

/**
 * Collects the routes added after this call, and responds to requests for unknown paths with 404.
 * @returns a function to call after the last route; it makes each path respond with `Allow` to OPTIONS, and with 405
 *   (RFC 9110, 15.5.6) to methods without a route, before authentication and without reading the body
 */
export function collectMethods(app: FastifyInstance): () => void {
  const paths = new Map<string, { methods: string[]; config: FastifyContextConfig }>();
  app.addHook("onRoute", ({ url, method, config = {} }) => {
    const path = paths.get(url) ?? { methods: [], config };
    path.methods.push(...[method].flat());
    paths.set(url, path);
  });
  // Node knows two dozen more methods than Fastify; routes for all of them would slow every start by 50 ms.
  const rareMethods = findMyWay(routerOptions);
  app.setNotFoundHandler(async ({ method, url }) => {
    const path = app.supportedMethods.includes(method) ? null : rareMethods.find(ANY, url);
    throw path === null ? noSuch("route") : notAllowed(path.store);
  });
  return () => {
    for (const [url, { methods, config }] of [...paths]) {
      const allowed = METHODS.filter((method) => method === "OPTIONS" || methods.includes(method));
      const allow = allowed.join(", ");
      const others = app.supportedMethods.filter((method) => !allowed.includes(method)) as HTTPMethods[];
      app.route({
        method: ["OPTIONS", ...others],
        url,
        config,
        onRequest: async ({ method }) => {
          if (method !== "OPTIONS") throw notAllowed(allow);
        },
        handler: async (_, reply) => reply.code(204).header("allow", allow).send(),
      });
      rareMethods.on(ANY, url, () => undefined, allow);
    }
  };
}

const notAllowed = (allow: string): GatewayError =>
  new GatewayError("method_not_allowed", undefined, { headers: { allow } });
