import type { FastifyReply, FastifyRequest } from "fastify";
import {
  type FieldNode,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
} from "graphql";
import type { BatchedStream } from "../common/batched-stream";
import { InvalidInput } from "../errors";
import { requireJson } from "../http/plugins/json-body";
import type { RestRoute, RestStream } from "../schema/rest-route";
import type { CompiledRoute, Data } from "./compiled-route";
import { EventStreams, wantsEventStream } from "./event-stream";
import { streamPlanOf } from "./plan";
import { hasBody, inputsOf, isEmpty, variablesReader } from "./variables";

/** The Fastify handlers of a route. */
export interface Runner {
  /** Rejects callers without access and bodies that are not JSON, before reading the body. */
  guard: (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

/** Creates a route's handlers; throws an Error if its stream cannot be served. */
export function runnerOf(compiled: CompiledRoute, schema: GraphQLSchema, publicUrl: string): Runner {
  const { plan, admit, run } = compiled;
  const { route, body, names } = plan;
  const toVariables = variablesReader(plan);
  const stream = route.stream && streamer(route, route.stream, schema);

  return {
    guard: (request, _reply, done) => {
      admit(request.callContext.caller);
      const { headers } = request;
      // Ignores the content type of an empty body, because many clients send one without a body.
      if (!body?.required && isEmpty(headers)) delete headers["content-type"];
      if (body && (body.required || hasBody(request))) requireJson(headers);
      done();
    },
    handle: async (request, reply) => {
      if (stream !== undefined && wantsEventStream(request)) return stream(request, reply);
      const malformed = new Map<number, InvalidInput>();
      const variables = toVariables(inputsOf(request), malformed);
      const context = malformed.size === 0 ? request.callContext : { ...request.callContext, malformed };
      const { status, found, nextCursor, endCursor, write } = await run(variables, context, names);
      reply.code(status);
      if (write === undefined) return reply.send();
      if (nextCursor !== undefined) linkNextPage(nextCursor, request, reply, publicUrl);
      if (route.endCursorHeader !== undefined) reply.header(route.endCursorHeader, endCursor);
      if (route.location && status === 201) reply.header("location", route.location(found as Data));
      reply.type("application/json; charset=utf-8");
      return write(found);
    },
  };
}

/** Creates the handler for a route's stream, which runs the schema's subscription. */
function streamer(route: RestRoute, declared: RestStream, schema: GraphQLSchema): Runner["handle"] {
  const plan = streamPlanOf(route, declared, schema);
  const { field, operation, result, names, root: parentType } = plan;
  const { name: fieldName, subscribe } = field;
  if (subscribe === undefined || result === undefined) throw new Error(`${fieldName} opens no stream`);
  const node = operation.selectionSet.selections[0] as FieldNode;
  const toVariables = variablesReader(plan);
  // A partial `info` is enough, because resolvers read only these two properties.
  const info = { parentType, fieldName } as GraphQLResolveInfo;
  const streams = new EventStreams<Data>(
    (item) => `id: ${item[declared.id]}\nevent: ${item[declared.event]}\ndata: ${result.write(item)}\n\n`,
  );
  return async (request, reply) => {
    const variables = toVariables(inputsOf(request));
    const lastEventId = request.headers["last-event-id"];
    if (lastEventId) variables[declared.lastEventId] = lastEventId;
    const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
    const open = async () =>
      subscribe(undefined, getArgumentValues(field, node, coerced), request.callContext, info);
    const items = await open().catch((error: unknown) => {
      throw error instanceof InvalidInput ? error.renamed(names) : error;
    });
    await streams.send(request, reply, items as BatchedStream<Data>);
  };
}

/** Adds a `Link` to the next page (RFC 8288), with the same parameters. */
function linkNextPage(
  cursor: string,
  { url, query }: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string,
): void {
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries(query as Record<string, string | string[]>)) {
    for (const each of [value].flat()) next.append(name, each);
  }
  next.set("cursor", cursor);
  // The request target may be a whole URL (RFC 9112, 3.2.2), whose host the client chose.
  const path = url.replace(/^https?:\/\/[^/?]*/i, "").split("?")[0];
  reply.header("link", `<${publicUrl}${path}?${next}>; rel="next"`);
}
