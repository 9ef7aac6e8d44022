import type { FastifyContextConfig, FastifyInstance, HTTPMethods } from "fastify";
import { GatewayError } from "../../errors";

/** Methods that routes can have, as `Allow` lists them. */
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/**
 * Collects the routes that are added after this call.
 * @returns a function to call after the last route; it makes each path answer OPTIONS with `Allow` and any other method
 *   with 405 (RFC 9110, 15.5.6), before authentication and without reading the body
 */
export function collectMethods(app: FastifyInstance): () => void {
  const paths = new Map<string, { methods: string[]; config: FastifyContextConfig }>();
  app.addHook("onRoute", ({ url, method, config = {} }) => {
    const path = paths.get(url) ?? { methods: [], config };
    path.methods.push(...[method].flat());
    paths.set(url, path);
  });
  return () => {
    for (const [url, { methods, config }] of [...paths]) {
      const allowed = METHODS.filter((method) => method === "OPTIONS" || methods.includes(method));
      const allow = allowed.join(", ");
      const others = app.supportedMethods.filter((method) => !allowed.includes(method)) as HTTPMethods[];
      app.options(url, { config }, async (_, reply) => reply.code(204).header("allow", allow).send());
      app.route({
        method: others,
        url,
        config,
        onRequest: async () => {
          throw new GatewayError("method_not_allowed", undefined, { headers: { allow } });
        },
        handler: async () => undefined,
      });
    }
  };
}
