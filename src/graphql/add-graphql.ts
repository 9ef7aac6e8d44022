import { fastifyApolloHandler } from "@as-integrations/fastify";
import type { FastifyInstance } from "fastify";
import fp from "fastify-plugin";
import type { GraphQLSchema } from "graphql";
import type { Logger } from "pino";
import { authenticateRequests } from "../auth/authenticate";
import type { CountOperation, createContextFactory, RequestContext } from "../auth/context";
import type { foreignOriginCheck } from "../auth/foreign-origins";
import { sessionCookies } from "../auth/session-cookie";
import { withSpan } from "../common/spans";
import type { Config } from "../config";
import { rejectInvalidHost } from "../http/plugins/host";
import { routeHandshakes } from "../http/websocket-handshakes";
import type { RateLimit } from "../rate-limits/rate-limit";
import { ResponseBudget } from "../rate-limits/response-budget";
import type { CountDeprecated } from "../schema/deprecation";
import type { Metrics } from "../telemetry/metrics";
import { compressQueries } from "./compress-queries";
import { noteErrorCodes, rejectUnsupportedRequests, sendGraphQLError } from "./http-requests";
import { allowSandboxContent } from "./plugins/landing-page";
import { operationRunner, type RunOperation } from "./run-operation";
import { createGraphQL } from "./server";
import { createSubscriptionServer } from "./websocket/subscription-server";
import { WebSockets } from "./websocket/websockets";

/** Max share of in-flight requests that may wait for response memory, small enough not to count as overload. */
const MAX_WAITING_SHARE = 0.1;

/** Max body size (bytes): room for the longest document and variables of the same size. */
const BODY_LIMIT = 65_536;

/** Max size of a member's request, relative to the limit for bodies, with room around the largest document. */
const MEMBER_SHARE = 1.25;

interface Dependencies {
  schema: GraphQLSchema;
  config: Config;
  log: Logger;
  metrics: Metrics;
  createContext: ReturnType<typeof createContextFactory>;
  rateLimit: RateLimit;
  rejectForeign: ReturnType<typeof foreignOriginCheck>;
  /** Checks to run on POSTs without a credential before their bodies are parsed. */
  anonymousChecks: readonly ((context: RequestContext) => void)[];
  memberRequestBytes: number;
  /** Counts operations that use deprecated parts of the schema. */
  countDeprecated: CountDeprecated;
  /** Counts the subscriptions over WebSockets; HTTP requests are counted by the server. */
  countOperation: CountOperation;
}

/** The running GraphQL API. */
export interface GraphQLApi {
  run: RunOperation;
  /** Releases the memory reserved by `run` once the responses to a scope's requests are sent. */
  trackResponses(scope: FastifyInstance): void;
  closeConnections(): Promise<void>;
  /** Stops Apollo Server; call it after the last request. */
  stop(): Promise<void>;
}

/** Adds `/graphql`, over HTTP and WebSockets. */
export async function addGraphQL(http: FastifyInstance, dependencies: Dependencies): Promise<GraphQLApi> {
  const { schema, config, log, createContext, rateLimit, rejectForeign, countOperation } = dependencies;
  const responses = new ResponseBudget(config.maxRequestsInFlight * MAX_WAITING_SHARE);
  const limits = { rateLimit, responses };
  const { apollo, answerKnown } = createGraphQL(
    schema,
    config,
    log,
    dependencies.metrics.operations,
    limits,
    dependencies.countDeprecated,
  );
  await apollo.start();
  const handle = fastifyApolloHandler(apollo, { context: async ({ callContext }) => callContext });
  const handshakes = routeHandshakes(http, "/graphql", config);
  const webSockets = new WebSockets(
    createSubscriptionServer({ apollo, schema, createContext, rateLimit, log, countOperation }),
  );
  const bodyLimit = Math.min(config.bodyLimitBytes, BODY_LIMIT);
  const graphql = async (scope: FastifyInstance) => {
    webSockets.accept(scope, handshakes, rejectForeign);
    authenticateRequests(scope, createContext, rateLimit, sessionCookies(config));
    scope.addHook("onRequest", ({ method, callContext }, _reply, done) => {
      if (method === "POST" && callContext.caller.kind === "anonymous")
        for (const check of dependencies.anonymousChecks) check(callContext);
      done();
    });
    rejectInvalidHost(scope);
    allowSandboxContent(scope, config.environment);
    rejectUnsupportedRequests(scope);
    noteErrorCodes(scope);
    responses.track(scope);
    compressQueries(scope);
    scope.setErrorHandler(sendGraphQLError);
    scope.route({
      method: ["GET", "POST"],
      url: "/graphql",
      config: {
        api: "graphql",
        memberBodyLimit: Math.min(
          MEMBER_SHARE * config.bodyLimitBytes,
          Math.max(BODY_LIMIT, dependencies.memberRequestBytes),
        ),
      },
      exposeHeadRoute: false,
      bodyLimit,
      handler: (request, reply) =>
        withSpan(
          "graphql",
          async () => (await answerKnown(request, reply)) ?? handle.call(scope, request, reply),
        ),
    });
  };
  await http.register(fp(graphql, { name: "graphql", encapsulate: true }));
  return {
    run: operationRunner(apollo, bodyLimit),
    trackResponses: (scope) => responses.track(scope),
    closeConnections: () => webSockets.close(),
    stop: () => apollo.stop(),
  };
}
