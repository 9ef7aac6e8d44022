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

/** The GraphQL door. @returns a server that is not started yet */
export function createApollo(
  schema: GraphQLSchema,
  { environment, introspection }: Pick<Config, "environment" | "introspection">,
  log: Logger,
  operations: Metrics["operations"],
  limits: Pick<RequestLimits, "rateLimit" | "answers">,
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
    // Its store would have to be shared and bounded, and documents here are small.
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    plugins: [
      // It would wrap every resolver to compute a header that is always "no-store" here.
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

/** Whether a document failed to parse, validate or coerce, so that nothing of it was executed. */
function isRequestError(failure: GraphQLError, known: GatewayError): boolean {
  if (failure.path !== undefined) return false;
  const aboutVariables = known instanceof InvalidInput || failure.extensions.code === "BAD_USER_INPUT";
  return aboutVariables || known.code.startsWith("graphql_");
}

/**
 * Gives an answer that answers nothing the HTTP status and headers of its first error, as the REST door would; but, as the
 * GraphQL over HTTP specification asks (6.4.1), a client that knows only `application/json` gets 200 for a
 * document that does not parse, validate or coerce.
 * @param operations counts what becomes of operations
 */
const httpStatus = (operations: Metrics["operations"]): ApolloServerPlugin<RequestContext> => ({
  async requestDidStart() {
    return {
      // Counted here too, for each plugin is one more turn for every request.
      async willSendResponse({ request, response, errors, operation }) {
        const failure = errors?.[0];
        const { body } = response;
        if (operation) describeOperation(operation);
        operations
          .labels(operation?.operation ?? "none", failure ? toGatewayError(failure).code : "ok")
          .inc();
        if (failure === undefined || body.kind !== "single") return;
        if (answersSomething(body.singleResult.data, errors)) return;
        const known = toGatewayError(failure);
        const accept = request.http?.headers.get("accept") ?? "";
        const legacy = !accept.includes("application/graphql-response+json");
        const status = legacy && isRequestError(failure, known) ? 200 : known.status;
        applyHead(response.http, status, known.headers);
      },
    };
  },
});

/** Describes the operation on its span; the name is the client's and could hold a secret. */
function describeOperation({ operation, name }: OperationDefinitionNode): void {
  const span = trace.getActiveSpan();
  span?.setAttribute("graphql.operation.type", operation);
  if (name) span?.setAttribute("graphql.operation.name", redactTokens(name.value).slice(0, 100));
}

/** A nullable field that failed leaves data behind, `{"pet":null}`, which is no answer: a missing key is 401 there too. */
function answersSomething(
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

/** Logs what clients are told nothing of. */
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
