import { ApolloServer, type ApolloServerPlugin, type HTTPGraphQLHead } from "@apollo/server";
import { ApolloServerPluginCacheControlDisabled } from "@apollo/server/plugin/disabled";
import { trace } from "@opentelemetry/api";
import type { GraphQLError, GraphQLSchema, OperationDefinitionNode } from "graphql";
import type { Logger } from "pino";
import type { RequestContext } from "../auth/context";
import type { Config } from "../config";
import { redactTokens } from "../credentials/redact-tokens";
import { type GatewayError, InvalidInput } from "../errors";
import type { Metrics } from "../telemetry/metrics";
import { compiledQueries } from "./compiled/compiled-queries";
import { formatError, toGatewayError } from "./errors";
import { exactGetVariables } from "./plugins/get-variables";
import { landingPage } from "./plugins/landing-page";
import { rejectInvalidVariables } from "./plugins/reject-invalid-variables";
import { MAX_FAULTS, MAX_TOKENS } from "./query-limits/limits";
import { queryLimits, type RequestLimits } from "./query-limits/query-limits";

/**
 * Creates the GraphQL API.
 * @returns a server that is not started yet
 */
export function createApollo(
  schema: GraphQLSchema,
  { environment, introspection }: Pick<Config, "environment" | "introspection">,
  log: Logger,
  operations: Metrics["operations"],
  limits: Pick<RequestLimits, "rateLimit" | "responses">,
): ApolloServer<RequestContext> {
  const compiled = compiledQueries(schema);
  return new ApolloServer<RequestContext>({
    schema,
    formatError,
    documentStore: compiled.documentStore,
    stringifyResult: compiled.stringifyResult,
    logger: log,
    introspection,
    parseOptions: { maxTokens: MAX_TOKENS },
    validationOptions: { maxErrors: MAX_FAULTS },
    hideSchemaDetailsFromClientErrors: !introspection,
    // Their store would have to be shared and bounded, and documents are small.
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    // The order counts: variables are exact before limits read them, and a compiled plan runs last, once all have passed.
    // A known document skips validation, and with it the limits there; it passed them when it became known.
    plugins: [
      // Cache control wraps every resolver to compute a header that is always "no-store" here.
      ApolloServerPluginCacheControlDisabled(),
      landingPage(environment),
      exactGetVariables,
      queryLimits(schema, { ...limits, schemaHidden: !introspection }),
      rejectInvalidVariables,
      httpStatus(operations),
      logFailures(log),
      compiled.plugin,
    ],
  });
}

/** Tells whether a document failed to parse, validate or coerce, so that no field was executed. */
function isRequestError(failure: GraphQLError, known: GatewayError): boolean {
  if (failure.path !== undefined) return false;
  const aboutVariables = known instanceof InvalidInput || failure.extensions.code === "BAD_USER_INPUT";
  return aboutVariables || known.code.startsWith("graphql_");
}

/**
 * Gives an answer without data the HTTP status and headers of its first error, like the REST API. As the GraphQL over
 * HTTP specification requires (6.4.1), a client that accepts only `application/json` gets 200 for a document that does
 * not parse, validate or coerce.
 * @param operations counts operations by type and outcome
 */
const httpStatus = (operations: Metrics["operations"]): ApolloServerPlugin<RequestContext> => ({
  async requestDidStart() {
    return {
      // It also counts the operation, because a separate plugin would cost every request another microtask.
      async willSendResponse({ request, response, errors, operation }) {
        const failure = errors?.[0];
        const { body } = response;
        if (operation) describeOperation(operation);
        operations
          .labels(operation?.operation ?? "none", failure ? toGatewayError(failure).code : "ok")
          .inc();
        if (failure === undefined || body.kind !== "single") return;
        if (hasData(body.singleResult.data, errors)) return;
        const known = toGatewayError(failure);
        const accept = request.http?.headers.get("accept") ?? "";
        const legacy = !accept.includes("application/graphql-response+json");
        const status = legacy && isRequestError(failure, known) ? 200 : known.status;
        applyHead(response.http, status, known.headers);
      },
    };
  },
});

/** Adds the operation to its span, without tokens that a client may have put into the name. */
function describeOperation({ operation, name }: OperationDefinitionNode): void {
  const span = trace.getActiveSpan();
  span?.setAttribute("graphql.operation.type", operation);
  if (name) span?.setAttribute("graphql.operation.name", redactTokens(name.value).slice(0, 100));
}

/** Tells whether an answer has data beyond the nulls of failed fields: `{"pet":null}` without a key is still a 401. */
function hasData(
  data: Record<string, unknown> | null | undefined,
  errors: readonly GraphQLError[] = [],
): boolean {
  const failed = new Set(errors.map(({ path }) => path?.[0]));
  return Object.keys(data ?? {}).some((name) => data?.[name] !== null || !failed.has(name));
}

function applyHead(http: HTTPGraphQLHead, status: number, headers: Record<string, string>): void {
  http.status = status;
  for (const [name, value] of Object.entries(headers)) http.headers.set(name, value);
}

/** Logs server errors, whose causes are hidden from clients. */
const logFailures = (log: Logger): ApolloServerPlugin<RequestContext> => ({
  async requestDidStart({ contextValue }) {
    return {
      async didEncounterErrors({ errors }) {
        for (const error of errors.map(toGatewayError).filter(({ status }) => status >= 500)) {
          log.error({ reqId: contextValue.origin.requestId, err: error.cause }, error.code);
        }
      },
    };
  },
});
