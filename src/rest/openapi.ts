import { type GraphQLArgument, type GraphQLSchema, getNamedType } from "graphql";
import type { Config } from "../config";
import { DEFAULT_PAGE } from "../graphql/connection";
import { IDEMPOTENCY_KEY_MAX } from "../idempotency/idempotency";
import { RATE_LIMIT_HEADERS } from "../limits/rate-limit";
import type { Deprecation } from "./deprecation";
import { fieldSchema, inputSchema, type JsonSchema } from "./input-schema";
import { ANYWHERE, errorCodes, errorResponses, errorSchema } from "./openapi-errors";
import { HEADERS, type HeaderName, headers } from "./openapi-headers";
import { type RestRoute, ROUTES } from "./routes";
import { type PreparedRoute, prepare } from "./runner";

/** Where the service can be reached, for the list of servers. */
export interface OpenApiServer {
  url: string;
  description: string;
}

/** The servers of the settings; without them, the one that answers. */
export function serversOf(
  config: Pick<Config, "productionUrl" | "stagingUrl" | "publicUrl">,
): OpenApiServer[] {
  const named = [
    { url: config.productionUrl, description: "Production" },
    { url: config.stagingUrl, description: "Staging" },
  ].filter((server): server is OpenApiServer => server.url !== undefined);
  return named.length > 0 ? named : [{ url: config.publicUrl ?? "/", description: "This server" }];
}

/**
 * Derives the OpenAPI 3.1 document of the REST door from the route table, the schema with its rules, and the
 * error table; nothing of them is written down a second time.
 */
export function createOpenApi(schema: GraphQLSchema, servers: readonly OpenApiServer[]): JsonSchema {
  const operations = ROUTES.map((route) => ({ route, prepared: prepare(route, schema) }));
  return {
    openapi: "3.1.0",
    info: {
      title: "Agent and Petstore gateway",
      version: "1.0.0",
      description:
        "Animals of a store, messages for agents, and the identity of the agent behind an API key. Identifiers of animals and categories are int64, exact over their whole range.",
      contact: { name: "The operators of this gateway" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers,
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }],
    paths: Object.fromEntries(
      [...new Set(ROUTES.map(({ path }) => path))].map((path) => [
        path.replace(/:(\w+)/g, "{$1}"),
        Object.fromEntries(
          operations
            .filter(({ route }) => route.path === path)
            .map(({ route, prepared }) => [route.method.toLowerCase(), operation(route, prepared)]),
        ),
      ]),
    ),
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key: `agk_<env>_<publicId>_<secret>`.",
        },
      },
      schemas: {
        Error: errorSchema([...new Set([...ROUTES.flatMap(errorCodes), ...ANYWHERE])]),
        ...Object.fromEntries(operations.flatMap(({ prepared }) => namedSchemas(prepared))),
      },
      headers: HEADERS,
    },
  };
}

const TAGS = {
  Pets: "The store of animals, which every valid API key shares.",
  Agent: "The agent that an API key resolves to.",
  Messages: "Messages handed to the agent.",
};

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

function namedSchemas({ resultType, schema, input }: PreparedRoute): [string, JsonSchema][] {
  const named = getNamedType(resultType);
  const item = schema.type === "array" ? (schema.items as JsonSchema) : schema;
  const result: [string, JsonSchema] = [
    named.name,
    { ...item, ...(named.description && { description: named.description }), additionalProperties: false },
  ];
  return input === undefined ? [result] : [result, [getNamedType(input).name, inputSchema(input)]];
}

function operation(route: RestRoute, prepared: PreparedRoute): JsonSchema {
  const { operationId, summary, tag, deprecation, pathParameters = [], queryParameters = [] } = route;
  const name = getNamedType(prepared.resultType).name;
  const body = prepared.schema.type === "array" ? { type: "array", items: ref(name) } : ref(name);
  return {
    operationId,
    summary,
    description: prepared.description + (deprecation ? ` ${goingAway(deprecation)}` : ""),
    tags: [tag],
    ...(deprecation && { deprecated: true }),
    parameters: [
      ...pathParameters.map(({ name, variable }) => ({
        name,
        in: "path",
        required: true,
        ...described(prepared.argument(variable)),
        // What is no int64 is no animal: the answer is 404, not 400.
        schema: { type: "integer", format: "int64" },
        example: 1,
      })),
      ...queryParameters.map(({ name, variable }) => ({
        name,
        in: "query",
        ...described(prepared.argument(variable)),
        schema: queryType(name, prepared.argument(variable)),
      })),
      ...(prepared.input ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(prepared.input && {
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: ref(getNamedType(prepared.input).name), example: route.example.body },
        },
      },
    }),
    responses: {
      [route.status]: {
        description: route.answers,
        headers: headers(...successHeaders(route)),
        content: { "application/json": { schema: body, example: route.example.answer } },
      },
      ...errorResponses(errorCodes(route)),
    },
  };
}

const goingAway = ({ sunset }: Deprecation) =>
  `Deprecated: goes away on ${sunset.toISOString().slice(0, 10)}.`;

const described = ({ description }: GraphQLArgument) => (description ? { description } : {});

/** A parameter of a query is text, so it is never null. */
function queryType(name: string, argument: GraphQLArgument): JsonSchema {
  const { description: _, ...schema } = fieldSchema(argument);
  const notNull = (value: unknown) => (value as unknown[]).filter((each) => each !== "null" && each !== null);
  return {
    ...schema,
    ...(Array.isArray(schema.type) && { type: notNull(schema.type)[0] }),
    ...(Array.isArray(schema.enum) && { enum: notNull(schema.enum) }),
    ...(name === "limit" && { default: DEFAULT_PAGE }),
  };
}

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  description: "Makes a retry safe: the same key and body within 24 hours give the first answer again.",
  schema: { type: "string", minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX },
};

function successHeaders({ pageInfo, location, deprecation }: RestRoute): HeaderName[] {
  return [
    ...(pageInfo || deprecation ? ["Link" as const] : []),
    ...RATE_LIMIT_HEADERS,
    ...(location ? ["Location" as const] : []),
    ...(deprecation ? ["Deprecation" as const, "Sunset" as const] : []),
  ];
}
