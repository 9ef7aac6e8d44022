import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Config } from "../config";
import { StartupError } from "../errors";
import { collectMethods } from "./plugins/allowed-methods";
import type { InFlightRequests } from "./plugins/in-flight-requests";
import { createHttpServer } from "./server";

/**
 * Listens on a separate port for probes and scrapes, over plain HTTP. Node accepts one connection per listener and
 * event-loop tick, so a probe on the main port could wait behind clients for seconds.
 * @param addRoutes adds the routes for probes and scrapes
 * @throws StartupError if the port is not available
 */
export async function listenForManagement(
  config: Config,
  log: Logger,
  requests: InFlightRequests,
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
export async function closeNow(app: FastifyInstance): Promise<void> {
  const closed = app.close();
  // By default, Fastify would accept connections for a few more ticks and then wait for idle connections to close.
  app.server.close();
  app.server.closeAllConnections();
  await closed;
}
