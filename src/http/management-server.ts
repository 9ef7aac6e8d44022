import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Config } from "../config";
import { StartupError } from "../errors";
import { collectMethods } from "./plugins/allowed-methods";
import type { InFlightRequests } from "./plugins/in-flight-requests";
import { createHttpServer } from "./server";

/**
 * Listens on a port for probes and scrapes only, in plain HTTP, with the hooks and limits of the other server. That one
 * accepts one new connection per event-loop turn: under load, a probe would wait for seconds behind those of clients.
 * @param addRoutes adds the routes of probes and scrapes
 * @throws StartupError
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
    throw new StartupError(`OPERATIONS_PORT ${address.port} cannot be listened on`, { cause });
  }
  return app;
}

/** Stops without waiting for connections. */
export async function closeNow(app: FastifyInstance): Promise<void> {
  const closed = app.close();
  // Not left to Fastify, which would accept connections for some turns more and then wait for those that are silent.
  app.server.close();
  app.server.closeAllConnections();
  await closed;
}
