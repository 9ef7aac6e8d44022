import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import type { GraphQLSchema } from "graphql";
import { GatewayError } from "../errors";
import type { Deprecation } from "../schema/deprecation";
import { nameOfRoute, type RestRoute } from "../schema/rest-route";
import type { CompiledRoute } from "./compiled-route";
import { deprecationHeaders } from "./deprecation";
import { servable } from "./plan";
import { runnerOf } from "./runner";

/** Adds the REST API, with links below `publicUrl`; throws an Error that names a route that cannot be served. */
export function addRestRoutes(
  app: FastifyInstance,
  schema: GraphQLSchema,
  routes: readonly CompiledRoute[],
  publicUrl = "",
): void {
  const withBody = async (scope: FastifyInstance) => {
    for (const route of routes) if (route.plan.body) addRoute(scope, route, schema, publicUrl);
  };
  const withoutBody = async (scope: FastifyInstance) => {
    rejectBodies(scope);
    for (const route of routes) if (!route.plan.body) addRoute(scope, route, schema, publicUrl);
  };
  app.register(fp(withBody, { name: "rest-with-body", encapsulate: true }));
  app.register(fp(withoutBody, { name: "rest-without-body", encapsulate: true }));
}

function addRoute(
  app: FastifyInstance,
  compiled: CompiledRoute,
  schema: GraphQLSchema,
  publicUrl: string,
): void {
  const { route } = compiled.plan;
  const { guard, handle } = servable(route, () => runnerOf(compiled, schema, publicUrl));
  app.route({
    method: route.method,
    url: route.path,
    config: { api: "rest", operation: nameOfRoute(route) },
    onRequest: guard,
    handler: handle,
    ...(route.deprecation && { onSend: announce(route, route.deprecation, publicUrl) }),
  });
}

/** An empty JSON object or null, which many clients send instead of an empty body. */
const NOTHING = /^[ \t\r\n]*(\{[ \t\r\n]*\}|null)[ \t\r\n]*$/;

/** Rejects nonempty bodies, of any content type, for operations that take no body. */
function rejectBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request: FastifyRequest, payload: Readable) =>
    request.readBody(payload, (body) => {
      if (body.length > 0 && !NOTHING.test(body.toString("latin1")))
        throw new GatewayError("invalid_request", "This operation takes no body, or an empty object: {}.");
    }),
  );
}

/** Adds the deprecation headers to every response of a route, including errors. */
function announce(route: RestRoute, deprecation: Deprecation, publicUrl: string) {
  const { deprecation: since, sunset, link } = deprecationHeaders(route, deprecation, publicUrl);
  return (
    _request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: null, payload: unknown) => void,
  ): void => {
    const others = reply.getHeader("link");
    reply.header("deprecation", since);
    reply.header("sunset", sunset);
    reply.header("link", others === undefined ? link : `${others}, ${link}`);
    done(null, payload);
  };
}
