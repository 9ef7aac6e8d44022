import type { GraphQLSchema } from "graphql";
import type { Config } from "../../config";
import { OPERATIONS, ROUTE_GROUPS } from "../../features";
import { EVENT_DATA_MAX_BYTES } from "../../features/events/event.limits";
import { IDEMPOTENCY_KEY_MAX_LENGTH } from "../../idempotency/idempotency";
import { RATE_LIMIT_HEADERS } from "../../rate-limits/rate-limit";
import { documentedPath, type SuccessStatus } from "../../schema/rest-route";
import { version } from "../../version";
import { removalOf } from "../deprecation";
import { type Member, memberSchema } from "../json-types";
import type { JsonSchema } from "../json-value";
import { planOf, type RoutePlan } from "../plan";
import type { IdempotencyKey } from "../request-parts";
import { boundedBy, inHeaders, withBounds } from "./bounds";
import { ErrorResponses, errorSchemas } from "./errors";
import { DEPRECATION_HEADERS, HEADERS, type HeaderName, headers } from "./headers";
import { pathOf } from "./http-operations";
import { Schemas } from "./schemas";
import { createWebhooks } from "./webhooks";

/** An entry of the server list. */
export interface OpenApiServer {
  url: string;
  description: string;
}

/** Returns the configured servers, or this server if none is configured. */
export function serversOf(
  config: Pick<Config, "productionUrl" | "stagingUrl" | "publicUrl">,
): OpenApiServer[] {
  const named = [
    { url: config.productionUrl, description: "Production" },
    { url: config.stagingUrl, description: "Staging" },
  ].filter((server): server is OpenApiServer => server.url !== undefined);
  return named.length > 0 ? named : [{ url: config.publicUrl ?? "/", description: "This server" }];
}

const DESCRIPTION = `Agents decide what to do in situations that your programs report, and talk to your contacts.

1. **Report a situation**, such as an order that was shipped: \`POST /agent/decisions\`. The agent's rules decide. The response says what was done, and why. With \`dryRun\`, nothing is stored or sent.
2. **Messages** to contacts are sent in conversations, by webhook or e-mail, and each has a status: \`GET /messages\`.
3. **Follow events**: \`GET /agent/events\`, as pages or as a stream.
4. **The petstore** demonstrates the API with simple data: \`GET /v1/pets\`.

Every request needs an API key, which managers create in the dashboard: \`Authorization: Bearer <key>\`. \`GET /agent/whoami\` returns the identity behind a key. IDs of pets and categories are int64 and are never rounded. Methods that a path does not support are rejected with 405 \`method_not_allowed\` and an \`Allow\` header.`;

/** Generates the OpenAPI 3.1 document from the routes, the schema with its rules, and the error table. */
export function createOpenApi(
  schema: GraphQLSchema,
  servers: readonly OpenApiServer[],
  groups = ROUTE_GROUPS,
): JsonSchema {
  const schemas = new Schemas();
  const operations = groups.flatMap(({ tag, routes }) =>
    routes.map((route) => ({ tag, plan: planOf(route, schema, schemas.definer(route.operationId)) })),
  );
  const plans = operations.map(({ plan }) => plan);
  const http = OPERATIONS.flatMap(({ tag, operations }) => operations().map((each) => [tag, each] as const));
  const errors = new ErrorResponses(plans);
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const { tag, plan } of operations) {
    const path = documentedPath(plan.route.path);
    paths[path] = { ...paths[path], [plan.route.method.toLowerCase()]: operationOf(tag, plan, errors) };
  }
  return withBounds({
    openapi: "3.1.0",
    info: {
      title: "Agent and Petstore gateway",
      version,
      description: DESCRIPTION,
      contact: { name: "The operators of this gateway" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers,
    tags: [...groups, ...OPERATIONS].map(({ tag: name, description }) => ({ name, description })),
    security: [{ apiKey: [] }],
    paths: {
      ...paths,
      ...Object.fromEntries(http.map(([tag, operation]) => pathOf(tag, operation, errors))),
    },
    webhooks: boundedBy(EVENT_DATA_MAX_BYTES, createWebhooks()),
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: "An API key: `agk_<env>_<publicId>_<secret>`, or `ago_…` for an organization key.",
        },
      },
      schemas: {
        ...errorSchemas(
          plans,
          http.flatMap(([, operation]) => operation.errors),
        ),
        ...schemas.toJSON(),
      },
      responses: errors.toJSON(),
      headers: inHeaders(HEADERS),
    },
  });
}

function operationOf(tag: string, plan: RoutePlan, errors: ErrorResponses): JsonSchema {
  const { route, field, path, query, body, idempotencyKey } = plan;
  const { operationId, summary, deprecation, example } = route;
  const description = route.description ?? field.description ?? "";
  return {
    operationId,
    summary,
    description: description + (deprecation ? ` ${removalOf(deprecation)}` : ""),
    tags: [tag],
    ...(deprecation && { deprecated: true }),
    parameters: inHeaders([
      ...path.map((member) => ({
        ...parameter(member, "path"),
        example: route.pathParameters?.find(({ name }) => name === member.name)?.example,
      })),
      ...query.map((member) => parameter(member, "query")),
      ...(idempotencyKey ? [idempotencyHeader(idempotencyKey)] : []),
      ...(route.stream ? [LAST_EVENT_ID] : []),
    ]),
    ...(body && {
      requestBody: {
        required: body.required,
        content: { "application/json": { schema: body.json.schema, example: example.body } },
      },
    }),
    responses: {
      ...Object.fromEntries(plan.statuses.map((status) => [status, success(status, plan)])),
      ...errors.of(plan),
    },
  };
}

/** Describes a parameter; parameters are never null, because values in a URL are text. */
const parameter = (member: Member, location: "path" | "query"): JsonSchema => ({
  name: member.name,
  in: location,
  ...(member.required && { required: true }),
  ...(member.description && { description: member.description }),
  schema: memberSchema({ ...member, description: undefined }),
});

const idempotencyHeader = ({ required }: IdempotencyKey): JsonSchema => ({
  name: "Idempotency-Key",
  in: "header",
  ...(required && { required }),
  description: "Makes retries safe: within 24 hours, the same key and body return the original response.",
  schema: { type: "string", minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_LENGTH },
});

const LAST_EVENT_ID: JsonSchema = {
  name: "Last-Event-ID",
  in: "header",
  description:
    "For an event stream, the `id` of the last event received. The stream continues after that event.",
  schema: { type: "string", minLength: 1 },
};

function success(status: SuccessStatus, { route, result, idempotencyKey }: RoutePlan): JsonSchema {
  const { answers, example, pageInfo, endCursorHeader, location, deprecation, stream } = route;
  const names: HeaderName[] = [
    ...(pageInfo ? (["Link"] as const) : []),
    ...(endCursorHeader === undefined ? [] : [endCursorHeader]),
    ...RATE_LIMIT_HEADERS,
    ...(location && status === 201 ? (["Location"] as const) : []),
    ...(idempotencyKey ? (["Idempotency-Replayed"] as const) : []),
    ...(deprecation ? DEPRECATION_HEADERS : []),
  ];
  const description = typeof answers === "string" ? answers : (answers[status] ?? "");
  return {
    description: description + (pageInfo ? " The `Link` header points to the next page." : ""),
    headers: headers(...names),
    ...(result &&
      status !== 204 && {
        content: {
          "application/json": { schema: result.schema, example: example.answer },
          ...(stream && { "text/event-stream": { schema: { type: "string", description: stream.answers } } }),
        },
      }),
  };
}
