import type { ServerOptions } from "node:http";
import type { Server, Socket } from "node:net";
import type { FastifyBaseLogger } from "fastify";
import { Budget } from "../common/budget";
import { networkOf } from "../common/network";
import { logThrottle } from "../common/throttled-log";
import type { Config } from "../config";

const LOG_INTERVAL_MS = 60_000;

/** Returns the timeouts of a listening server. */
export const connectionLimits = ({ requestTimeoutMs }: Pick<Config, "requestTimeoutMs">) =>
  ({
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(requestTimeoutMs / 2, 10_000),
    // `rejectAmbiguousRequests` rejects a missing Host instead, with a JSON response.
    requireHostHeader: false,
  }) satisfies ServerOptions;

/** Closes new connections beyond the total limit or beyond the limit per IPv4 address or IPv6 /64 network. */
export function limitConnections(
  server: Server,
  { maxConnections, maxConnectionsPerAddress }: Pick<Config, "maxConnections" | "maxConnectionsPerAddress">,
  log: Pick<FastifyBaseLogger, "warn">,
): void {
  // `server.maxConnections` is not used, because full workers would keep passing a connection to each other.
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    socket.once("close", () => {
      connections -= 1;
    });
    if (connections > maxConnections) socket.destroy();
  });
  if (maxConnectionsPerAddress === 0) return;
  const budget = new Budget(Number.POSITIVE_INFINITY, maxConnectionsPerAddress);
  const throttle = logThrottle(LOG_INTERVAL_MS);
  server.on("connection", (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? null);
    const release = budget.take([network], 1);
    if (release !== undefined) return socket.once("close", release);
    socket.destroy();
    if (throttle() !== undefined)
      log.warn({ ip: network }, "an address reached MAX_CONNECTIONS_PER_ADDRESS: new connections are closed");
  });
}
