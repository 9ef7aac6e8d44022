import { ApolloServer, type ApolloServerPlugin } from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
} from "@apollo/server/plugin/disabled";
import type { GraphQLSchema } from "graphql";
import type { Logger } from "pino";
import type { RequestContext } from "../auth/context";
import type { Config } from "../config";
import type { CountDeprecated } from "../schema/deprecation";
import type { Metrics } from "../telemetry/metrics";
import { compiledQueries } from "./compiled/compiled-queries";
import { formatError, toGatewayError } from "./errors";
import { answerKnownRequests } from "./known-requests";
import { exactGetVariables } from "./plugins/get-variables";
import { httpStatus } from "./plugins/http-status";
import { landingPage } from "./plugins/landing-page";
import { rejectInvalidVariables } from "./plugins/reject-invalid-variables";
import { openSubscription, subscriptions } from "./plugins/subscriptions";
import { MAX_FAULTS, MAX_TOKENS } from "./query-limits/limits";
import { queryLimits, type RequestLimits } from "./query-limits/query-limits";

/**
 * Headers that pages of other origins can send only after a preflight, so a GET with one of them cannot be a CSRF
 * attack. Clients such as urql send queries by GET with only `Authorization`.
 */
const PREFLIGHTED_HEADERS = ["authorization", "apollo-require-preflight", "x-apollo-operation-name"] as const;

/** Creates an unstarted server, and the handler for known requests, which bypasses the server. */
export function createGraphQL(
  schema: GraphQLSchema,
  { environment, introspection }: Pick<Config, "environment" | "introspection">,
  log: Logger,
  operations: Metrics["operations"],
  limits: Pick<RequestLimits, "rateLimit" | "responses">,
  countDeprecated?: CountDeprecated,
): { apollo: ApolloServer<RequestContext>; answerKnown: ReturnType<typeof answerKnownRequests> } {
  const compiled = compiledQueries(schema, countDeprecated);
  const limited = queryLimits(schema, { ...limits, schemaHidden: !introspection });
  const apollo = new ApolloServer<RequestContext>({
    schema,
    formatError,
    documentStore: compiled.documentStore,
    stringifyResult: compiled.stringifyResult,
    logger: log,
    introspection,
    parseOptions: { maxTokens: MAX_TOKENS },
    validationOptions: { maxErrors: MAX_FAULTS },
    hideSchemaDetailsFromClientErrors: !introspection,
    // Persisted queries are not worth it: documents are small, and their store would have to be shared and bounded.
    persistedQueries: false,
    csrfPrevention: { requestHeaders: [...PREFLIGHTED_HEADERS] },
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    // The order matters: limits read exact variables, and a compiled plan runs last, after all checks. A known document
    // skips validation and the document limits, because it passed them before it was cached.
    plugins: [
      // Cache control wraps every resolver to compute a header that is always "no-store" here.
      ApolloServerPluginCacheControlDisabled(),
      // Only subgraphs need inline traces, but Apollo loads Protocol Buffers on every start to find out.
      ApolloServerPluginInlineTraceDisabled(),
      landingPage({ environment, introspection }),
      exactGetVariables,
      limited.plugin,
      rejectInvalidVariables,
      subscriptions,
      httpStatus(operations),
      logFailures(log),
      compiled.plugin,
      openSubscription,
    ],
  });
  return { apollo, answerKnown: answerKnownRequests(compiled, limited, operations) };
}

/** Logs server errors, because clients do not see their causes. */
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
