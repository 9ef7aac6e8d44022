import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Config } from "../config";
import type { Database } from "../database/database";
import { StartupError } from "../errors";
import { collectMethods } from "./plugins/allowed-methods";
import type { InFlightRequests } from "./plugins/in-flight-requests";
import { addHealthRoutes } from "./routes/health";
import { addMetricsRoute } from "./routes/metrics";
import { createHttpServer } from "./server";

interface Dependencies {
  config: Config;
  log: Logger;
  requests: InFlightRequests;
  database: Database;
  /** Functions that return additional members for the `/readyz` response. */
  readiness: readonly (() => Promise<object>)[];
  readMetrics: () => Promise<string>;
}

/** The probes and metrics of an app. */
export interface Management {
  /** Adds their routes to a server. */
  addRoutes(app: FastifyInstance): void;
  /** Also serves them on another port, which it returns; throws a StartupError. */
  listen(port: number, host: string): Promise<number>;
  /** Makes `/readyz` return 503. */
  announceStop(): void;
  /** Closes the other port. */
  close(): Promise<void>;
}

/** Creates the probes and metrics of an app. */
export function createManagement(dependencies: Dependencies): Management {
  const { config, database, readiness, readMetrics } = dependencies;
  const state = { stopping: false };
  const addRoutes = (app: FastifyInstance) => {
    addHealthRoutes(app, database, state, readiness);
    addMetricsRoute(app, readMetrics, config);
  };
  let server: FastifyInstance | undefined;
  return {
    addRoutes,
    listen: async (port, host) => {
      server = await listenForManagement(dependencies, addRoutes, { port, host });
      return (server.server.address() as AddressInfo).port;
    },
    announceStop: () => {
      state.stopping = true;
    },
    close: async () => {
      if (server) await closeNow(server);
    },
  };
}

/**
 * Listens on a separate port for probes and scrapes, over plain HTTP. Node accepts one connection per listener and
 * event-loop tick, so a probe on the main port could wait behind clients for seconds.
 * @param addRoutes adds the routes for probes and scrapes
 * @throws StartupError if the port is not available
 */
async function listenForManagement(
  { config, log, requests }: Dependencies,
  addRoutes: (app: FastifyInstance) => void,
  address: { port: number; host: string },
): Promise<FastifyInstance> {
  const app = await createHttpServer({ ...config, tls: undefined }, log, requests);
  const rejectOtherMethods = collectMethods(app);
  addRoutes(app);
  rejectOtherMethods();
  try {
    await app.listen(address);
  } catch (cause) {
    await app.close();
    throw new StartupError(`cannot listen on OPERATIONS_PORT ${address.port}`, { cause });
  }
  return app;
}

/** Stops a server without waiting for connections. */
async function closeNow(app: FastifyInstance): Promise<void> {
  const closed = app.close();
  // By default, Fastify would accept connections for a few more ticks and then wait for idle connections to close.
  app.server.close();
  app.server.closeAllConnections();
  await closed;
}
