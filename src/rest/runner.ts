import type { FastifyReply, FastifyRequest } from "fastify";
import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  typeFromAST,
  validate,
} from "graphql";
import { GatewayError, type InputProblem, InvalidInput } from "../errors";
import { accessOf, authorize } from "../graphql/access";
import { compile } from "../graphql/compile";
import { toGatewayError } from "../graphql/errors";
import { remembered, sharedFields } from "../graphql/shared";
import { requireJson } from "../http/json-body";
import { excerpt } from "../keys/redact-tokens";
import { decode, IDEMPOTENCY_FIELD } from "./decode";
import { deprecationHeaders } from "./deprecation";
import { encodingOf, fieldAt } from "./encode";
import type { RestRoute } from "./routes";

/** A route made ready: its document checked against the schema once, at the start. */
export interface PreparedRoute {
  /** What the root field says of itself in the schema. */
  description: string;
  /** JSON Schema of the body of a success. */
  schema: Record<string, unknown>;
  /** GraphQL type of the body of a success. */
  resultType: GraphQLOutputType;
  /** GraphQL type of the request's body, where it has one. */
  input: GraphQLInputType | undefined;
  /** The argument of the root field behind a variable, which has its name. */
  argument: (variable: string) => GraphQLArgument;
  /** Refuses callers, and bodies that are not JSON, before a body is read. */
  guard: (request: FastifyRequest) => Promise<void>;
  /** Answers a request. */
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

/** Prepares a route. @throws Error when its document does not fit the schema */
export function prepare(route: RestRoute, schema: GraphQLSchema): PreparedRoute {
  const document = parse(route.document);
  const operation = getOperationAST(document);
  const root = operation && schema.getRootType(operation.operation);
  const [fault] = validate(schema, document);
  if (!operation || !root || fault)
    throw new Error(`${route.operationId}: ${fault?.message ?? "no operation"}`);
  const field = root.getFields()[route.result[0] ?? ""];
  const access = accessOf(field);
  const changes = operation.operation === "mutation";
  const { type, selection } = fieldAt(root, operation.selectionSet, route.result);
  const encoding = encodingOf(type, selection);
  // Those who share an answer share its text.
  const write = sharedFields(schema, operation) ? remembered(encoding.write) : encoding.write;
  const run = executor(schema, document);
  const deprecation = route.deprecation && deprecationHeaders(route.deprecation);
  const toVariables = variablesOf(route, schema, operation);
  const names = {
    ...Object.fromEntries((route.queryParameters ?? []).map(({ name, variable }) => [variable, name])),
    [IDEMPOTENCY_FIELD]: "Idempotency-Key",
  };

  const argument = (variable: string): GraphQLArgument => {
    const found = field?.args.find(({ name }) => name === variable);
    if (found === undefined) throw new Error(`${route.operationId}: no argument is called ${variable}.`);
    return found;
  };

  return {
    description: field?.description ?? "",
    schema: encoding.schema,
    resultType: type,
    input: route.bodyVariable === undefined ? undefined : argument(route.bodyVariable).type,
    argument,
    guard: async ({ gateway, headers }) => {
      authorize(gateway.caller, access, changes);
      if (route.bodyVariable !== undefined) requireJson(headers);
    },
    handle: async (request, reply) => {
      if (deprecation) reply.headers(deprecation);
      const data = await run(toVariables(request), request).catch((error: unknown) => {
        throw error instanceof InvalidInput ? error.renamed(names) : error;
      });
      const result = at(data, route.result);
      if (result == null) throw new GatewayError("not_found");
      if (route.pageInfo) linkNextPage(at(data, route.pageInfo), request, reply);
      if (route.location) reply.header("location", route.location(result as Record<string, unknown>));
      reply.code(route.status);
      reply.type("application/json; charset=utf-8");
      return write(result);
    },
  };
}

/** Runs the document as the GraphQL door would: same schema, resolvers, context and errors. */
function executor(schema: GraphQLSchema, document: DocumentNode) {
  const execute = compile(schema, document);
  return async (variables: Record<string, unknown>, { gateway }: FastifyRequest): Promise<unknown> => {
    const { data, errors } = await execute(gateway, variables);
    if (errors?.[0]) throw toGatewayError(errors[0]);
    return data;
  };
}

/** @returns what reads a route's variables from a request. @throws InvalidInput (when called) in REST's words */
function variablesOf(route: RestRoute, schema: GraphQLSchema, operation: OperationDefinitionNode) {
  const types = new Map(
    operation.variableDefinitions?.map(({ variable, type }) => [
      variable.name.value,
      typeFromAST(schema, type as never),
    ]),
  );
  const typeOf = (variable: string) => types.get(variable) as GraphQLInputType;
  const { pathParameters = [], queryParameters = [], bodyVariable } = route;

  return ({ params, query, body, headers }: FastifyRequest): Record<string, unknown> => {
    const problems: InputProblem[] = [];
    const variables: Record<string, unknown> = {};
    const read = (from: unknown, { name, variable }: { name: string; variable: string }) => {
      const place = { path: name, source: "text" as const, problems };
      const value = decode((from as Record<string, unknown>)[name], typeOf(variable), place);
      if (value !== undefined) variables[variable] = value;
    };
    for (const parameter of pathParameters) read(params, parameter);
    for (const parameter of queryParameters) read(query, parameter);
    // A misspelled filter would otherwise list everything.
    const known = queryParameters.map(({ name }) => name);
    for (const name of known.length > 0 ? Object.keys(query as object) : []) {
      if (!known.includes(name))
        problems.push({ path: excerpt(name, 100) || "(no name)", problem: "is not known" });
    }
    if (bodyVariable !== undefined) {
      const input = decode(body, typeOf(bodyVariable), { path: "", source: "json", problems });
      variables[bodyVariable] = {
        ...(input as object),
        [IDEMPOTENCY_FIELD]: idempotencyKey(headers["idempotency-key"]),
      };
    }
    if (problems.length > 0) throw new InvalidInput(problems);
    return variables;
  };
}

/** The draft writes the key as a quoted string; most clients send it bare. */
function idempotencyKey(header: string | string[] | undefined): string | undefined {
  const value = Array.isArray(header) ? header.join(", ") : header;
  return value === undefined ? undefined : value.replace(/^"(.*)"$/, "$1");
}

/** `Link` to the next page (RFC 8288), with the parameters of this one. */
function linkNextPage(pageInfo: unknown, { query }: FastifyRequest, reply: FastifyReply): void {
  const { hasNextPage, endCursor } = pageInfo as { hasNextPage: boolean; endCursor: string };
  if (!hasNextPage) return;
  const next = new URLSearchParams({ ...(query as Record<string, string>), cursor: endCursor });
  reply.header("link", `<${reply.request.routeOptions.url}?${next}>; rel="next"`);
}

const at = (data: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], data);
