import { createServer, type Server } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config";
import { GatewayError, StartupError } from "../errors";
import { connectionLimits } from "./connection-limits";

/** What those ask for who look after the service, above all when it has too much to do. */
export const OPERATIONS: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

/**
 * Answers these, and nothing else, on a port of their own too, in plain HTTP. A busy server takes one new connection in
 * each turn of the event loop: behind those of all clients a probe would wait for seconds.
 * @returns a server that is to be closed with the other. @throws StartupError
 */
export async function listenForOperations(
  app: FastifyInstance,
  config: Pick<Config, "requestTimeoutMs" | "maxConnections">,
  port: number,
  host: string,
): Promise<Server> {
  const server = createServer(connectionLimits(config), (request, response) => {
    const [path = ""] = (request.url ?? "").split("?");
    if (OPERATIONS.has(path)) return app.routing(request, response);
    const failure = new GatewayError("not_found", "This port is for /healthz, /readyz and /metrics.");
    response.writeHead(failure.status, { "content-type": "application/json; charset=utf-8" });
    response.end(JSON.stringify(failure.toBody()));
  });
  server.maxConnections = config.maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => {
      reject(new StartupError(`OPERATIONS_PORT ${port} cannot be listened on`, { cause }));
    });
    server.listen(port, host, resolve);
  });
  return server;
}
