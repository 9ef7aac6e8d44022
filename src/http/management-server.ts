import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config";
import { StartupError } from "../errors";
import { connectionLimits, limitConnections } from "./connection-limits";

/** What those ask for who look after the service, above all when it has too much to do. */
export const OPERATIONS: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

/** A path that has no route. */
const NOWHERE = "/nowhere";

/**
 * Answers these, and nothing else, on a port of their own too, in plain HTTP, as the server itself does. A busy server
 * takes one new connection in each turn of the event loop: behind those of all clients a probe would wait for seconds.
 * @returns a server that is to be closed with the other. @throws StartupError
 */
export async function listenForOperations(
  app: FastifyInstance,
  config: Pick<Config, "requestTimeoutMs" | "maxConnections" | "maxConnectionsPerAddress">,
  port: number,
  host: string,
): Promise<Server> {
  const server = createServer(connectionLimits(config));
  limitConnections(server, config, app.log);
  for (const event of ["request", "checkContinue", "checkExpectation"]) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      const [path = ""] = (request.url ?? "").split("?");
      if (!OPERATIONS.has(path)) request.url = NOWHERE;
      app.server.emit(event, request, response);
    });
  }
  server.on("clientError", (error: Error, socket: Socket) => app.server.emit("clientError", error, socket));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => {
      reject(new StartupError(`OPERATIONS_PORT ${port} cannot be listened on`, { cause }));
    });
    server.listen(port, host, resolve);
  });
  return server;
}
