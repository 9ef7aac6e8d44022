import { type GraphQLArgument, type GraphQLSchema, getNamedType } from "graphql";
import type { Config } from "../config";
import { ERRORS, type ErrorCode } from "../errors";
import { DEFAULT_PAGE } from "../graphql/connection";
import { IDEMPOTENCY_KEY_MAX } from "../idempotency/idempotency";
import type { Deprecation } from "./deprecation";
import { fieldSchema, inputSchema, type JsonSchema } from "./input-schema";
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

const headerOf = (description: string, schema: JsonSchema = { type: "string" }) => ({ description, schema });

const HEADERS = {
  "X-Request-Id": headerOf("Identifies the request in the log; the client's own where it sent a fit one."),
  "WWW-Authenticate": headerOf("The scheme to authenticate with.", { type: "string", const: "Bearer" }),
  "Retry-After": headerOf("Seconds to wait before trying again.", { type: "string", pattern: "^\\d+$" }),
  Link: headerOf(
    'Related addresses (RFC 8288): the next page as `rel="next"`, a successor as `successor-version`.',
  ),
  Location: headerOf("Path of what was created."),
  Deprecation: headerOf("Since when the operation is deprecated (RFC 9745).", {
    type: "string",
    pattern: "^@\\d+$",
  }),
  Sunset: headerOf("When the operation goes away (RFC 8594)."),
};

type HeaderName = keyof typeof HEADERS;

const headers = (...names: HeaderName[]) =>
  Object.fromEntries(
    ["X-Request-Id" as const, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

function errorSchema(codes: readonly ErrorCode[]): JsonSchema {
  return {
    type: "object",
    description: "Why a request was refused or failed.",
    properties: {
      code: { type: "string", enum: codes, description: "Machine-readable error code." },
      message: { type: "string", description: "Human-readable description." },
      status: {
        type: "integer",
        enum: [...new Set(codes.map((code) => ERRORS[code].status))],
        description: "The HTTP status code.",
      },
    },
    required: ["code", "message", "status"],
    additionalProperties: false,
  };
}

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
        description: "Done.",
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
    ...(location ? ["Location" as const] : []),
    ...(deprecation ? ["Deprecation" as const, "Sunset" as const] : []),
  ];
}

/** What requests can meet that reach no route. */
const ANYWHERE: readonly ErrorCode[] = ["not_found", "method_not_allowed", "header_fields_too_large"];

/** The codes that a route can answer, by what it takes. */
function errorCodes({ queryParameters, pathParameters, bodyVariable }: RestRoute): ErrorCode[] {
  return [
    ...(queryParameters ? (["invalid_request", "invalid_cursor"] as const) : []),
    ...(bodyVariable ? (["invalid_request", "invalid_json", "invalid_content_type"] as const) : []),
    ...([
      "unauthenticated",
      "invalid_api_key",
      "key_expired",
      "key_not_resolvable",
      "invalid_session",
    ] as const),
    ...(["key_revoked", "forbidden"] as const),
    ...(pathParameters ? (["not_found"] as const) : []),
    ...(bodyVariable ? (["idempotency_key_reused", "conflict", "payload_too_large"] as const) : []),
    ...(["internal_error", "unavailable"] as const),
  ];
}

function errorResponses(codes: readonly ErrorCode[]): Record<string, JsonSchema> {
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))];
  return Object.fromEntries(
    statuses.map((status) => {
      const possible = codes.filter((code) => ERRORS[code].status === status);
      return [
        status,
        {
          description: possible.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join("\n\n"),
          headers: headers(...(ERROR_HEADERS[status] ?? [])),
          content: {
            "application/json": {
              schema: {
                allOf: [
                  ref("Error"),
                  { properties: { code: { enum: possible }, status: { const: status } } },
                ],
              },
              examples: Object.fromEntries(
                possible.map((code) => [code, { value: { code, message: ERRORS[code].message, status } }]),
              ),
            },
          },
        },
      ];
    }),
  );
}

const ERROR_HEADERS: Readonly<Record<number, HeaderName[]>> = {
  401: ["WWW-Authenticate"],
  503: ["Retry-After"],
};
