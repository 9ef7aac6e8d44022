import assert from "node:assert";
import { type GraphQLSchema, isNonNullType } from "graphql";
import { type JsonSchemaRule, ruleOf } from "../common/json-schema";
import { boundsOf } from "../schema/list-size";
import type { RestRoute, RestStream, SuccessStatus } from "../schema/rest-route";
import { type FixedDocument, fixedDocument, selectedAt, validateDocument } from "./document";
import { IDEMPOTENCY_HEADER, jsonTypeOf, type Member, type Use } from "./json-types";
import type { JsonType } from "./json-value";
import {
  type Body,
  bodyOf,
  type IdempotencyKey,
  idempotencyKeyOf,
  inPath,
  inQuery,
  Variables,
} from "./request-parts";

/** The inputs and outputs of a route, derived from its document and the schema at startup. */
export interface RoutePlan extends FixedDocument {
  /** The route, with its defaults. */
  route: RestRoute & Required<Pick<RestRoute, "status" | "result">>;
  path: readonly Member[];
  query: readonly Member[];
  body: Body | undefined;
  idempotencyKey: IdempotencyKey | undefined;
  statuses: readonly SuccessStatus[];
  /** The body of success responses; undefined if all of them are 204. */
  result: JsonType | undefined;
  /** True if the route's resource may be missing (404). */
  canBeMissing: boolean;
  /** REST names of arguments and input fields, by the paths that problems report. */
  names: Readonly<Record<string, string>>;
}

/** @throws Error with the name of the route if one of its documents is invalid */
export const validateRoute = (route: RestRoute, schema: GraphQLSchema): void =>
  servable(route, () => {
    validateDocument(route.document, schema);
    if (route.stream) validateDocument(route.stream.document, schema);
  });

/**
 * Derives the plan of a route that passes `validateRoute`; `define` names the schemas in the documentation.
 * @throws Error with the name of the route if its declaration is invalid
 */
export const planOf = (route: RestRoute, schema: GraphQLSchema, define?: Use["define"]): RoutePlan =>
  servable(route, () => derive(route, fixedDocument(route.document, schema), define));

/** Derives the plan for a route's stream, whose result is one item; throws an Error that names an invalid route. */
export const streamPlanOf = (
  { pageInfo: _, stream: __, ...route }: RestRoute,
  stream: RestStream,
  schema: GraphQLSchema,
): RoutePlan =>
  servable(route, () => {
    const fixed = fixedDocument(stream.document, schema, ["subscription"]);
    const { queryParameters } = stream;
    return derive({ ...route, queryParameters, result: [fixed.field.name] }, fixed, undefined);
  });

/** Runs a step of a route's construction, and adds the route's name to its errors. */
export function servable<T>({ operationId, method, path }: RestRoute, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    const reason = (cause as Error).message.replace(/\.$/, "");
    throw new Error(`REST route ${operationId} (${method} ${path}) cannot be served: ${reason}.`, { cause });
  }
}

function derive(declared: RestRoute, fixed: FixedDocument, define: Use["define"]): RoutePlan {
  const { pathParameters = [], queryParameters = [], bodyMembers = [] } = declared;
  const { status = 200, result = [fixed.field.name] } = declared;
  const route = { ...declared, status, result };
  const statuses = typeof status === "number" ? [status] : status.oneOf;
  assertShape(route, fixed, statuses);
  const variables = new Variables(fixed.variables, define);
  const path = pathParameters.map((parameter) => inPath(parameter, variables));
  const query = queryParameters.map((parameter) => inQuery(parameter, variables));
  const body = bodyOf(route, variables, define);
  const idempotencyKey = idempotencyKeyOf(route, variables);
  variables.assertAllTaken();

  const parent = fixed.operation.selectionSet;
  const { field, type, selection } = selectedAt(fixed.root, parent, result);
  const first = [...fixed.variables.values()].find(({ target }) => target?.name === "first");
  const page = route.pageInfo && { maxItems: ruleOf(first?.target).maximum };
  if (route.pageInfo) {
    for (const name of ["hasNextPage", "endCursor"])
      selectedAt(fixed.root, parent, [...route.pageInfo, name]);
  }
  return {
    ...fixed,
    route,
    path,
    query,
    body,
    idempotencyKey,
    statuses,
    result: statuses.every((status) => status === 204)
      ? undefined
      : jsonTypeOf(type, { selection, define, rule: { ...boundsOf(field), ...page } as JsonSchemaRule }),
    canBeMissing: path.length > 0 || !isNonNullType(type),
    names: {
      // An input object's problems are reported as problems of the body.
      ...variables.inputs(route.bodyVariable),
      ...Object.fromEntries(
        [...pathParameters, ...queryParameters, ...bodyMembers].map(({ name, variable, field }) => [
          variables.pathOf(variable) + (field === undefined ? "" : `.${field}`),
          name,
        ]),
      ),
      ...(idempotencyKey && { [idempotencyKey.path]: IDEMPOTENCY_HEADER }),
    },
  };
}

function assertShape(
  route: RestRoute,
  { operation }: FixedDocument,
  statuses: readonly SuccessStatus[],
): void {
  const { method, path, pathParameters = [], bodyVariable, bodyMembers } = route;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  assert(
    inPath.join() === pathParameters.map(({ name }) => name).join(),
    "pathParameters must be the parameters of its path, in the same order",
  );
  assert(method !== "GET" || operation.operation !== "mutation", "a GET must not change anything");
  const hasBody = bodyVariable !== undefined || bodyMembers !== undefined;
  assert(!hasBody || !["GET", "DELETE"].includes(method), `a ${method} has no body`);
  assert(bodyVariable === undefined || bodyMembers === undefined, "its body is declared twice");
  assert(statuses.length > 0, "it has no status");
}
