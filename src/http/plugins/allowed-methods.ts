import type { FastifyInstance, HTTPMethods } from "fastify";
import { GatewayError } from "../../errors";

/**
 * Answers, on a path that has routes, OPTIONS with `Allow` and every other method with 405 (RFC 9110, 15.5.6);
 * before authentication and before the body, which have no say in it.
 * @param methods those that have a route on the path
 */
export function rejectOtherMethods(app: FastifyInstance, path: string, methods: readonly string[]): void {
  const head = app.hasRoute({ method: "HEAD", url: path }) ? ["HEAD"] : [];
  const allow = [...methods, ...head, "OPTIONS"].join(", ");
  const others = app.supportedMethods.filter(
    (method) => !allow.split(", ").includes(method),
  ) as HTTPMethods[];
  app.route({
    method: "OPTIONS",
    url: path,
    handler: async (_, reply) => reply.code(204).header("allow", allow).send(),
  });
  app.route({
    method: others,
    url: path,
    onRequest: async () => {
      throw new GatewayError("method_not_allowed", undefined, { headers: { allow } });
    },
    handler: async () => undefined,
  });
}
