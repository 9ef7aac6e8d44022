import type { FastifyInstance } from "fastify";
import type { GraphQLSchema } from "graphql";
import { refuseOtherMethods } from "../http/allowed-methods";
import { ROUTES } from "./routes";
import { prepare } from "./runner";

/** Adds the REST door to a server whose requests are authenticated already. */
export function addRestRoutes(app: FastifyInstance, schema: GraphQLSchema): void {
  for (const route of ROUTES) {
    const { guard, handle } = prepare(route, schema);
    app.route({
      method: route.method,
      url: route.path,
      onRequest: guard,
      handler: handle,
    });
  }
}

/** Answers the methods that the REST door does not have. */
export function refuseOtherRestMethods(app: FastifyInstance): void {
  for (const path of new Set(ROUTES.map((route) => route.path))) {
    const methods = ROUTES.filter((route) => route.path === path).map(({ method }) => method);
    refuseOtherMethods(app, path, methods);
  }
}
