import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import fp from "fastify-plugin";
import type { GraphQLSchema } from "graphql";
import type { Logger } from "pino";
import type { DataSource } from "typeorm";
import { authenticateRequests } from "./auth/authenticate";
import { keyOf } from "./auth/caller";
import { foreignOriginCheck } from "./auth/foreign-origins";
import { baseUrlOf } from "./base-url";
import type { Config } from "./config";
import { contextFactoryOf, httpOf, MEMBER_REQUEST_BYTES, ROUTES, type Services } from "./features";
import { DEPRECATED_USES } from "./features/key-usage/deprecated-uses";
import { addGraphQL } from "./graphql/add-graphql";
import { addExplorer } from "./graphql/explorer";
import { createSchema } from "./graphql/schema";
import { listenForManagement } from "./http/management-server";
import { collectMethods } from "./http/plugins/allowed-methods";
import { InFlightRequests } from "./http/plugins/in-flight-requests";
import { countRequest } from "./http/plugins/request-metrics";
import { addDashboard } from "./http/routes/dashboard";
import { addHealthRoutes } from "./http/routes/health";
import { addHome } from "./http/routes/home";
import { addMetricsRoute } from "./http/routes/metrics";
import { createHttpServer } from "./http/server";
import { closeInOrder, openServices, startBackground } from "./lifecycle";
import { graphqlTools } from "./mcp/graphql-tools";
import { addLlmsText } from "./mcp/llms";
import { addMcp } from "./mcp/mcp";
import { toolsOf } from "./mcp/tools";
import type { KeyWindows } from "./rate-limits/key-windows";
import { createRateLimit } from "./rate-limits/rate-limit";
import { type CompiledRoute, compileRoutes, countingDeprecated } from "./rest/compiled-route";
import { addDocumentation } from "./rest/openapi/documentation";
import { createOpenApi, serversOf } from "./rest/openapi/openapi";
import { addRestRoutes } from "./rest/rest";
import type { CountDeprecated } from "./schema/deprecation";
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

/** The state that an app shares with the other workers of its service. */
export interface Peers {
  /** Rate limit windows that count requests to all workers. */
  windows: KeyWindows;
  /** Relays announcements to the other workers, which call `Database.relay`. */
  relay(channel: string): void;
  /** Returns the metrics of all workers like `Metrics.text`, or throws a GatewayError `unavailable`. */
  metrics(): Promise<string>;
  /** True for the worker that does the housekeeping and logs startup warnings. */
  isFirst: boolean;
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
  const isFirst = peers?.isFirst ?? true;
  const { services, metrics } = await openServices(config, source, log, { relay: peers?.relay, isFirst });
  const { database, hooks } = services;
  api ??= createApi();
  const { schema, compiled } = api;
  const countKeyCheck = (outcome: string) => metrics.keyChecks.labels(outcome).inc();
  const createContext = contextFactoryOf(services, countKeyCheck);
  const rateLimit = createRateLimit(config.rateLimitPerMinute, peers?.windows);
  const rejectForeign = foreignOriginCheck(config);
  const countDeprecated: CountDeprecated = (caller, names) => {
    const key = keyOf(caller);
    if (key === undefined) return;
    services.usageRecorder.deprecated(key.id, names);
    for (const name of names) metrics.count(DEPRECATED_USES, [name]);
  };

  const requests = new InFlightRequests(countRequest(metrics));
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
  });
  await addScope("mcp", (scope) => {
    scope.addHook("onRequest", (request, _reply, done) => done(rejectForeign(request)));
    const { accessTokens } = services;
    const withTokens = accessTokens && contextFactoryOf(services, countKeyCheck, accessTokens);
    authenticateRequests(scope, withTokens ?? createContext, rateLimit);
    graphql.trackResponses(scope);
    addMcp(
      scope,
      [...toolsOf(routes), ...graphqlTools(schema, graphql.run)],
      accessTokens && baseUrlOf(config),
    );
  });
  const readiness = { stopping: false };
  const announceStop = () => {
    readiness.stopping = true;
    http.endConnections();
  };
  const addManagementRoutes = (app: FastifyInstance) => {
    addHealthRoutes(app, database, readiness, hooks.of("readiness"));
    addMetricsRoute(app, peers?.metrics ?? (() => metrics.text()), config);
  };
  addManagementRoutes(http);
  addDocumentation(http, () => createOpenApi(schema, serversOf(config)));
  addLlmsText(http, config);
  await addDashboard(http, dashboard);
  await addExplorer(http, schema, config);
  addHome(http, config);
  rejectOtherMethods();

  const background = startBackground(services, isFirst);

  let management: FastifyInstance | undefined;

  return {
    http,
    services,
    metrics,
    listenForManagement: async (port, host) => {
      management = await listenForManagement(config, log, requests, addManagementRoutes, { port, host });
      return (management.server.address() as AddressInfo).port;
    },
    announceStop,
    retire: () => http.endConnections(),
    close: async () => {
      // If the other workers keep serving, probes that reach this worker must still succeed.
      if (peers === undefined) announceStop();
      await closeInOrder({ http, management, graphql, background, requests, services });
    },
  };
}
