import { existsSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fastifyApolloHandler } from "@as-integrations/fastify";
import type { FastifyInstance } from "fastify";
import fp from "fastify-plugin";
import type { Logger } from "pino";
import type { DataSource } from "typeorm";
import { authenticateRequests } from "./auth/authenticate";
import { createContextFactory } from "./auth/context";
import { foreignOriginCheck } from "./auth/foreign-origins";
import { sessionCookies } from "./auth/session-cookie";
import { startBackground } from "./background";
import { withSpan } from "./common/spans";
import type { Config } from "./config";
import { Database } from "./database/database";
import { BATCHES, createResolvers, createServices, metricsOf, ROUTES, type Services } from "./features";
import { DOCUMENT_MAX_BYTES } from "./features/configuration/configuration.limits";
import { compressQueries } from "./graphql/compress-queries";
import { addExplorer } from "./graphql/explorer";
import { sendGraphQLError } from "./graphql/http-errors";
import { noteErrorCodes, rejectUnsupportedRequests } from "./graphql/http-requests";
import { allowSandboxContent } from "./graphql/plugins/landing-page";
import { createSchema } from "./graphql/schema";
import { createGraphQL } from "./graphql/server";
import { createSubscriptionServer } from "./graphql/websocket/subscription-server";
import { WebSockets } from "./graphql/websocket/websockets";
import { closeNow, listenForManagement } from "./http/management-server";
import { collectMethods } from "./http/plugins/allowed-methods";
import { rejectInvalidHost } from "./http/plugins/host";
import { InFlightRequests } from "./http/plugins/in-flight-requests";
import { countRequest } from "./http/plugins/request-metrics";
import { addDashboard } from "./http/routes/dashboard";
import { addHealthRoutes } from "./http/routes/health";
import { addHome } from "./http/routes/home";
import { addMetricsRoute } from "./http/routes/metrics";
import { createHttpServer } from "./http/server";
import { routeHandshakes } from "./http/websocket-handshakes";
import { addLlmsText } from "./mcp/llms";
import { addMcp } from "./mcp/mcp";
import type { KeyWindows } from "./rate-limits/key-windows";
import { createRateLimit } from "./rate-limits/rate-limit";
import { ResponseBudget } from "./rate-limits/response-budget";
import { compileRoutes } from "./rest/compiled-route";
import { addConfigurationSchema } from "./rest/configuration-schema";
import { addInbound } from "./rest/inbound";
import { addDocumentation } from "./rest/openapi/documentation";
import { createOpenApi, serversOf } from "./rest/openapi/openapi";
import { addRestRoutes } from "./rest/rest";
import { Metrics } from "./telemetry/metrics";

/** A connected service that does not listen yet. */
export interface App {
  http: FastifyInstance;
  services: Services;
  metrics: Metrics;
  /**
   * Also serves probes and metrics on a separate management port.
   * @returns the port
   * @throws StartupError
   */
  listenForManagement(port: number, host: string): Promise<number>;
  /** Makes `/readyz` answer 503, so that load balancers stop sending requests; requests are still served. */
  announceStop(): void;
  /** Drains in-flight requests for a few seconds, then closes the database. */
  close(): Promise<void>;
}

/** What an app shares with the other workers of its service. */
export interface Peers {
  /** The windows of the rate limits, which hold for all workers together. */
  windows: KeyWindows;
  /** Passes announcements on to the other workers, whose `Database.relay` takes them. */
  relay(channel: string): void;
  /**
   * The metrics of all workers, as `Metrics.text` has them.
   * @throws GatewayError `unavailable`
   */
  metrics(): Promise<string>;
  /** Whether this is the worker that does the housekeeping and logs the warnings of a start. */
  isFirst: boolean;
}

/** Max share of the in-flight requests that wait for response memory: too few to count as overload. */
const MAX_WAITING_SHARE = 0.1;

/** Max body size at `/graphql` (bytes): a document of the max length, and as much for its variables. */
const GRAPHQL_BODY_LIMIT = 65_536;

/** The same for members, who also send the documents of configurations. */
const GRAPHQL_MEMBER_BODY_LIMIT = GRAPHQL_BODY_LIMIT + DOCUMENT_MAX_BYTES;

/** Output folder of the dashboard build, next to the program. */
const BUILT_DASHBOARD = join(__dirname, "../dashboard");

/** Output folder of the build of GraphiQL, as seen from the built program or the sources. */
const BUILT_EXPLORER =
  ["../graphiql", "../dist/graphiql"].map((path) => join(__dirname, path)).find(existsSync) ?? "";

/**
 * Wires up the service and migrates its database (composition root).
 * @param dashboard folder of the built dashboard
 * @param peers undefined for an app that is the only worker
 * @returns the service, ready to listen
 */
export async function createApp(
  config: Config,
  source: DataSource,
  log: Logger,
  dashboard = BUILT_DASHBOARD,
  peers?: Peers,
): Promise<App> {
  const metrics = new Metrics(BATCHES);
  const database = await Database.open(source, {
    serving: true,
    observer: metrics,
    ...(peers && { relay: peers.relay }),
  });
  metrics.watch(database);
  await database.migrate();
  const services = createServices({ database, config, log }, metrics);
  if (config.deliveryWorkers > 0) await services.restores.check();
  const warning = await services.instanceKey.open();
  const isFirst = peers?.isFirst ?? true;
  if (warning !== undefined && isFirst) log.warn(warning);
  metrics.watchLanes(() => services.lanes.counts());
  metrics.register(metricsOf(services));
  const schema = createSchema(createResolvers(services));
  const createContext = createContextFactory(services.keys, services.sessions, (outcome) =>
    metrics.keyChecks.labels(outcome).inc(),
  );
  const rateLimit = createRateLimit(config.rateLimitPerMinute, peers?.windows);

  const responses = new ResponseBudget(config.maxRequestsInFlight * MAX_WAITING_SHARE);
  const limits = { rateLimit, responses };
  const { apollo, answerKnown } = createGraphQL(schema, config, log, metrics.operations, limits);
  await apollo.start();
  const requests = new InFlightRequests(countRequest(metrics));
  metrics.watchRequests(requests);
  const http = await createHttpServer(config, log, requests);
  const rejectOtherMethods = collectMethods(http);
  const handleGraphQL = fastifyApolloHandler(apollo, { context: async ({ callContext }) => callContext });
  const routes = compileRoutes(ROUTES, schema);
  const rest = async (scope: FastifyInstance) => {
    authenticateRequests(scope, createContext, rateLimit);
    addRestRoutes(scope, schema, routes, config.publicUrl);
  };
  await http.register(fp(rest, { name: "rest", encapsulate: true }));
  const rejectForeign = foreignOriginCheck(config);
  const mcp = async (scope: FastifyInstance) => {
    scope.addHook("onRequest", (request, _reply, done) => done(rejectForeign(request)));
    authenticateRequests(scope, createContext, rateLimit);
    addMcp(scope, routes);
  };
  await http.register(fp(mcp, { name: "mcp", encapsulate: true }));
  const inbound = async (scope: FastifyInstance) => addInbound(scope, services.inbound);
  await http.register(fp(inbound, { name: "inbound", encapsulate: true }));
  const handshakes = routeHandshakes(http, "/graphql", config);
  const webSockets = new WebSockets(
    createSubscriptionServer({ apollo, schema, createContext, rateLimit, log }),
  );
  const graphql = async (scope: FastifyInstance) => {
    webSockets.accept(scope, handshakes, rejectForeign);
    authenticateRequests(scope, createContext, rateLimit, sessionCookies(config));
    // Without a credential, hardly anything but a sign-in can succeed; parsing it would cost more than rejecting it.
    scope.addHook("onRequest", ({ method, callContext }, _reply, done) => {
      if (method === "POST" && callContext.caller.kind === "anonymous")
        services.sessions.assertPasswordCheckFree();
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
        memberBodyLimit: Math.min(config.bodyLimitBytes, GRAPHQL_MEMBER_BODY_LIMIT),
      },
      exposeHeadRoute: false,
      bodyLimit: Math.min(config.bodyLimitBytes, GRAPHQL_BODY_LIMIT),
      handler: (request, reply) =>
        withSpan(
          "graphql",
          async () => (await answerKnown(request, reply)) ?? handleGraphQL.call(scope, request, reply),
        ),
    });
  };
  await http.register(fp(graphql, { name: "graphql", encapsulate: true }));
  const readiness = { stopping: false };
  const announceStop = () => {
    readiness.stopping = true;
  };
  const addManagementRoutes = (app: FastifyInstance) => {
    addHealthRoutes(app, database, services.restores, readiness);
    addMetricsRoute(app, metrics.contentType, peers?.metrics ?? (() => metrics.text()), config);
  };
  addManagementRoutes(http);
  addConfigurationSchema(http);
  addDocumentation(http, () => createOpenApi(schema, serversOf(config)));
  addLlmsText(http, config);
  await addDashboard(http, dashboard);
  await addExplorer(http, schema, config, BUILT_EXPLORER);
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
    close: async () => {
      // A probe may reach a worker that leaves while the others serve on.
      if (peers === undefined) announceStop();
      const stopped = Promise.all([webSockets.close(), background.stop()]);
      const closed = http.close();
      const givenUp = await Promise.race([closed.then(() => 0), requests.drained()]);
      if (givenUp > 0) log.warn({ requests: givenUp }, "requests that did not end are given up");
      http.server.closeAllConnections();
      await closed;
      if (management) await closeNow(management);
      await apollo.stop();
      await stopped;
      await background.close();
      await database.close();
    },
  };
}
