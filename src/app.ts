import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import fp from "fastify-plugin";
import type { GraphQLSchema } from "graphql";
import type { Logger } from "pino";
import type { DataSource } from "typeorm";
import { authenticateRequests } from "./auth/authenticate";
import { foreignOriginCheck } from "./auth/foreign-origins";
import { baseUrlOf } from "./base-url";
import type { Config } from "./config";
import { contextFactoryOf, httpOf, MEMBER_REQUEST_BYTES, ROUTES, type Services } from "./features";
import { addGraphQL } from "./graphql/add-graphql";
import { addExplorer } from "./graphql/explorer";
import { createSchema } from "./graphql/schema";
import { createManagement } from "./http/management-server";
import { collectMethods } from "./http/plugins/allowed-methods";
import { InFlightRequests } from "./http/plugins/in-flight-requests";
import { countRequest } from "./http/plugins/request-metrics";
import { addDashboard } from "./http/routes/dashboard";
import { addHome } from "./http/routes/home";
import { createHttpServer } from "./http/server";
import { closeInOrder, openServices, type Peers, startBackground } from "./lifecycle";
import { graphqlTools } from "./mcp/graphql-tools";
import { addLlmsText } from "./mcp/llms";
import { addMcp } from "./mcp/mcp";
import { toolsOf } from "./mcp/tools";
import { createRateLimit } from "./rate-limits/rate-limit";
import { type CompiledRoute, compileRoutes, countingDeprecated } from "./rest/compiled-route";
import { addDocumentation } from "./rest/openapi/documentation";
import { createOpenApi, serversOf } from "./rest/openapi/openapi";
import { addRestRoutes } from "./rest/rest";
import type { Metrics } from "./telemetry/metrics";

/** A service that is connected to its database but not yet listening. */
export interface App {
  http: FastifyInstance;
  services: Services;
  metrics: Metrics;
  /** Also serves probes and metrics on another port, which it returns; throws a StartupError. */
  listenForManagement(port: number, host: string): Promise<number>;
  /** Makes `/readyz` return 503, so that load balancers stop sending requests, and calls `retire`. */
  announceStop(): void;
  /** Lets each response end its connection, so that clients open others. The app keeps serving. */
  retire(): void;
  /** Drains in-flight requests for a few seconds, then closes the database. */
  close(): Promise<void>;
}

let api: { schema: GraphQLSchema; compiled: readonly CompiledRoute[] } | undefined;

/** Creates the schema and the routes, which all apps in a process share. */
function createApi(): NonNullable<typeof api> {
  const schema = createSchema();
  return { schema, compiled: compileRoutes(ROUTES, schema) };
}

/** Output folder of the dashboard build, next to the program. */
const BUILT_DASHBOARD = join(__dirname, "../dashboard");

/**
 * Wires up the service and migrates its database (composition root).
 * @param peers undefined if the app is the only worker
 */
export async function createApp(
  config: Config,
  source: DataSource,
  log: Logger,
  dashboard = BUILT_DASHBOARD,
  peers?: Peers,
): Promise<App> {
  const { services, metrics } = await openServices(config, source, log, peers);
  const { database, hooks } = services;
  api ??= createApi();
  const { schema, compiled } = api;
  const countKeyCheck = (outcome: string) => metrics.keyChecks.labels(outcome).inc();
  const createContext = contextFactoryOf(services, countKeyCheck);
  const rateLimit = createRateLimit(config.rateLimitPerMinute, peers?.windows);
  const rejectForeign = foreignOriginCheck(config);
  const countDeprecated = hooks.the("deprecatedUsed");
  const countOperation = hooks.the("operationEnded");
  const [mcpTokens] = hooks.of("mcpTokens");

  const requests = new InFlightRequests(countRequest(metrics, countOperation));
  metrics.watchRequests(requests);
  const http = await createHttpServer(config, log, requests);
  const rejectOtherMethods = collectMethods(http);
  const addScope = (name: string, add: (scope: FastifyInstance) => void) =>
    http.register(fp(async (scope) => add(scope), { name, encapsulate: true }));
  const routes = countingDeprecated(compiled, countDeprecated);
  await addScope("rest", (scope) => {
    authenticateRequests(scope, createContext, rateLimit);
    addRestRoutes(scope, schema, routes, config.publicUrl);
  });
  for (const add of httpOf(services)) await addScope("http", add);
  const graphql = await addGraphQL(http, {
    schema,
    config,
    log,
    metrics,
    createContext,
    rateLimit,
    rejectForeign,
    anonymousChecks: hooks.of("anonymousPost"),
    memberRequestBytes: MEMBER_REQUEST_BYTES,
    countDeprecated,
    countOperation,
  });
  await addScope("mcp", (scope) => {
    scope.addHook("onRequest", (request, _reply, done) => done(rejectForeign(request)));
    authenticateRequests(scope, contextFactoryOf(services, countKeyCheck, mcpTokens), rateLimit);
    graphql.trackResponses(scope);
    addMcp(scope, [...toolsOf(routes), ...graphqlTools(schema, graphql.run)], mcpTokens && baseUrlOf(config));
  });
  const management = createManagement({
    config,
    log,
    requests,
    database,
    readiness: hooks.of("readiness"),
    readMetrics: peers?.metrics ?? (() => metrics.text()),
  });
  management.addRoutes(http);
  addDocumentation(http, () => createOpenApi(schema, serversOf(config)));
  addLlmsText(http, config);
  await addDashboard(http, dashboard);
  await addExplorer(http, schema, config);
  addHome(http, config);
  rejectOtherMethods();

  const background = startBackground(services, peers);
  const announceStop = () => {
    management.announceStop();
    http.endConnections();
  };

  return {
    http,
    services,
    metrics,
    listenForManagement: management.listen,
    announceStop,
    retire: () => http.endConnections(),
    close: async () => {
      // If the other workers keep serving, probes that reach this worker must still succeed.
      if (peers === undefined) announceStop();
      await closeInOrder({ http, management, graphql, background, requests, services });
    },
  };
}
