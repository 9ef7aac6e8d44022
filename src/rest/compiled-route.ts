import { type DocumentNode, type GraphQLSchema, getNamedType } from "graphql";
import { authorize, isAllowed } from "../auth/authorize";
import type { Caller } from "../auth/caller";
import type { RequestContext } from "../auth/context";
import { InvalidInput, noSuch } from "../errors";
import { planOperation } from "../graphql/compiled/plan";
import { toGatewayError } from "../graphql/errors";
import { keyAccessOf } from "../schema/access";
import type { CountDeprecated } from "../schema/deprecation";
import { keysOf, nameOfRoute, type RestRoute, type SuccessStatus } from "../schema/rest-route";
import { planOf, type RoutePlan, servable } from "./plan";

export type Data = Readonly<Record<string, unknown>>;

interface PageInfo {
  hasNextPage: boolean;
  endCursor: string;
}

/** A compiled route, for REST requests and for calls to its MCP tool. */
export interface CompiledRoute {
  plan: RoutePlan;
  changes: boolean;
  /** @throws GatewayError if the caller may not call the route */
  admit(caller: Caller): void;
  isFor(caller: Caller): boolean;
  /** Runs the document; throws a GatewayError for a missing resource, and names arguments in problems as in `names`. */
  run(
    variables: Record<string, unknown>,
    context: RequestContext,
    names: Readonly<Record<string, string>>,
  ): Promise<Success>;
}

/** The result of a route. */
export interface Success {
  status: SuccessStatus;
  /** The selected part of the result. */
  found: unknown;
  /** The cursor of the next page, if there is one. */
  nextCursor: string | undefined;
  /** The page's end cursor; only for routes with `endCursorHeader`. */
  endCursor: string | undefined;
  /** Writes the response body; undefined if the success response has none. */
  write: ((found: unknown) => string) | undefined;
}

/** @throws Error with the name of a route that cannot be served or is declared twice */
export function compileRoutes(routes: readonly RestRoute[], schema: GraphQLSchema): CompiledRoute[] {
  for (const [i, { operationId, method, path }] of routes.entries()) {
    const isSameRoute = (other: RestRoute) =>
      other.operationId === operationId || (other.method === method && other.path === path);
    if (routes.findIndex(isSameRoute) < i)
      throw new Error(`REST route ${operationId} (${method} ${path}) is declared twice.`);
  }
  return routes.map((route) => {
    const plan = planOf(route, schema);
    return servable(route, () => compileRoute(plan, schema));
  });
}

/** Wraps the deprecated routes so that calls to them over REST and MCP are counted. */
export const countingDeprecated = (
  routes: readonly CompiledRoute[],
  count: CountDeprecated,
): readonly CompiledRoute[] =>
  routes.map((compiled) => {
    const { admit, plan } = compiled;
    if (plan.route.deprecation === undefined) return compiled;
    const names = [nameOfRoute(plan.route)];
    return {
      ...compiled,
      admit: (caller) => {
        admit(caller);
        count(caller, names);
      },
    };
  });

function compileRoute(plan: RoutePlan, schema: GraphQLSchema): CompiledRoute {
  const { route, operation, field, result } = plan;
  const access = keyAccessOf(field, keysOf(route));
  if (access === undefined) throw new Error(`${field.name} declares no @Access`);
  const changes = operation.operation === "mutation";
  const execute = executor(schema, plan.document);
  const write = result?.write;
  const statusOf = statusReader(route);
  const what = getNamedType(field.type)
    .name.replace(/\B[A-Z]/g, " $&")
    .toLowerCase();

  return {
    plan,
    changes,
    admit: (caller) => authorize(caller, access, changes),
    isFor: (caller) => isAllowed(caller, access, changes),
    run: async (variables, context, names) => {
      const data = await execute(variables, context).catch((error: unknown) => {
        throw error instanceof InvalidInput ? error.renamed(names) : error;
      });
      const found = at(data, route.result);
      if (found == null) throw noSuch(what);
      const status = statusOf(data);
      const pageInfo = route.pageInfo && (at(data, route.pageInfo) as PageInfo);
      return {
        status,
        found,
        nextCursor: pageInfo?.hasNextPage ? pageInfo.endCursor : undefined,
        endCursor: route.endCursorHeader === undefined ? undefined : pageInfo?.endCursor,
        write: status === 204 ? undefined : write,
      };
    },
  };
}

/** Runs the document with the schema, resolvers, context and errors of GraphQL. */
function executor(schema: GraphQLSchema, document: DocumentNode) {
  const execute = planOperation(schema, document, { asStored: true });
  return async (variables: Record<string, unknown>, context: RequestContext): Promise<unknown> => {
    const { data, errors } = await execute({ ...context, omitsForbidden: true }, variables);
    if (errors?.[0]) throw toGatewayError(errors[0]);
    return data;
  };
}

/** Chooses the status of a success response; throws an Error for an undeclared status. */
function statusReader({ operationId, status, result }: RoutePlan["route"]): (data: unknown) => SuccessStatus {
  if (typeof status === "number") return () => status;
  return (data) => {
    const chosen = status.choose(at(data, result.slice(0, 1)) as Data);
    if (!status.oneOf.includes(chosen))
      throw new Error(`${operationId} chose the undeclared status ${chosen}.`);
    return chosen;
  };
}

const at = (data: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Data | null | undefined)?.[name], data);
