import type { FastifyReply, FastifyRequest } from "fastify";
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
} from "graphql";
import { authorize } from "../auth/authorize";
import type { BatchedStream } from "../common/batched-stream";
import { InvalidInput, noSuch } from "../errors";
import { callerIndependentFields, memoizeByObject } from "../graphql/compiled/coalesce-runs";
import { compile } from "../graphql/compiled/compile";
import { toGatewayError } from "../graphql/errors";
import { requireJson } from "../http/plugins/json-body";
import { keyAccessOf } from "../schema/access";
import type { RestRoute, RestStream, SuccessStatus } from "../schema/rest-route";
import { EventStreams, wantsEventStream } from "./event-stream";
import { type RoutePlan, streamPlanOf } from "./plan";
import { hasBody, variablesReader } from "./variables";

/** The Fastify handlers of a route. */
export interface Runner {
  /** Rejects callers without access, and bodies that are not JSON, before the body is read. */
  guard: (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;
  /** Answers a request. */
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

/**
 * Compiles a route.
 * @param publicUrl prefix of the addresses in `Link`
 * @throws Error when its document cannot be compiled or its field is not for API keys
 */
export function runnerOf(plan: RoutePlan, schema: GraphQLSchema, publicUrl: string): Runner {
  const { route, operation, field, body, result, names } = plan;
  const access = keyAccessOf(field);
  if (access === undefined) throw new Error(`${field.name} declares no @Access`);
  const changes = operation.operation === "mutation";
  const run = executor(schema, plan.document);
  const toVariables = variablesReader(plan);
  // A coalesced result is serialized once.
  const write =
    result && (callerIndependentFields(schema, operation) ? memoizeByObject(result.write) : result.write);
  const statusOf = statusReader(route);
  const stream = route.stream && streamer(route, route.stream, schema);
  const what = getNamedType(field.type)
    .name.replace(/\B[A-Z]/g, " $&")
    .toLowerCase();

  return {
    guard: (request, _reply, done) => {
      authorize(request.callContext.caller, access, changes);
      if (body && (body.required || hasBody(request))) requireJson(request.headers);
      done();
    },
    handle: async (request, reply) => {
      if (stream !== undefined && wantsEventStream(request)) return stream(request, reply);
      const data = await run(toVariables(request), request).catch((error: unknown) => {
        throw error instanceof InvalidInput ? error.renamed(names) : error;
      });
      const found = at(data, route.result);
      if (found == null) throw noSuch(what);
      const status = statusOf(data);
      reply.code(status);
      if (write === undefined || status === 204) return reply.send();
      if (route.pageInfo) linkNextPage(at(data, route.pageInfo), request, reply, publicUrl);
      if (route.location && status === 201) reply.header("location", route.location(found as Data));
      reply.type("application/json; charset=utf-8");
      return write(found);
    },
  };
}

/** Creates the handler of a route's stream, which runs the subscription of the schema. */
function streamer(route: RestRoute, declared: RestStream, schema: GraphQLSchema): Runner["handle"] {
  const plan = streamPlanOf(route, declared, schema);
  const { field, operation, result, names, root: parentType } = plan;
  const { name: fieldName, subscribe } = field;
  if (subscribe === undefined || result === undefined) throw new Error(`${fieldName} opens no stream`);
  const node = operation.selectionSet.selections[0] as FieldNode;
  const toVariables = variablesReader(plan);
  // All that a resolver reads of it.
  const info = { parentType, fieldName } as GraphQLResolveInfo;
  const streams = new EventStreams<Data>(
    (item) => `id: ${item[declared.id]}\nevent: ${item[declared.event]}\ndata: ${result.write(item)}\n\n`,
  );
  return async (request, reply) => {
    const variables = toVariables(request);
    const lastEventId = request.headers["last-event-id"];
    if (lastEventId) variables[declared.lastEventId] = lastEventId;
    const open = async () =>
      subscribe(undefined, getArgumentValues(field, node, variables), request.callContext, info);
    const items = await open().catch((error: unknown) => {
      throw error instanceof InvalidInput ? error.renamed(names) : error;
    });
    await streams.send(request, reply, items as BatchedStream<Data>);
  };
}

type Data = Readonly<Record<string, unknown>>;

/** Runs the document with the schema, resolvers, context and errors of GraphQL. */
function executor(schema: GraphQLSchema, document: DocumentNode) {
  const execute = compile(schema, document);
  return async (variables: Record<string, unknown>, { callContext }: FastifyRequest): Promise<unknown> => {
    const { data, errors } = await execute(callContext, variables);
    if (errors?.[0]) throw toGatewayError(errors[0]);
    return data;
  };
}

/**
 * Creates a function that chooses the status of a success.
 * @returns a function that throws an Error for an undeclared status
 */
function statusReader({ operationId, status, result }: RestRoute): (data: unknown) => SuccessStatus {
  if (typeof status === "number") return () => status;
  return (data) => {
    const chosen = status.choose(at(data, result.slice(0, 1)) as Data);
    if (!status.oneOf.includes(chosen))
      throw new Error(`${operationId} chose the undeclared status ${chosen}.`);
    return chosen;
  };
}

/** Adds a `Link` to the next page (RFC 8288), with the parameters of this page. */
function linkNextPage(
  pageInfo: unknown,
  { url, query }: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string,
): void {
  const { hasNextPage, endCursor } = pageInfo as { hasNextPage: boolean; endCursor: string };
  if (!hasNextPage) return;
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries(query as Record<string, string | string[]>)) {
    for (const each of [value].flat()) next.append(name, each);
  }
  next.set("cursor", endCursor);
  reply.header("link", `<${publicUrl}${url.split("?")[0]}?${next}>; rel="next"`);
}

const at = (data: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Data | null | undefined)?.[name], data);
