import { type IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config";

/** The connection of a WebSocket handshake. */
export interface Handshake {
  socket: Duplex;
  /** Bytes that the client sent after the handshake. */
  head: Buffer;
}

interface Parser {
  onIncoming?: ((request: IncomingMessage, shouldKeepAlive: boolean) => unknown) | null;
}

/**
 * Routes the WebSocket handshakes for a path like other requests, so that all route hooks apply to them. Other requests
 * with an `Upgrade` header, such as `h2c` from Java's client, remain ordinary requests; by default, Node does not allow
 * this on a server that accepts upgrades.
 * @returns the handshakes by request
 */
export function routeHandshakes(
  app: FastifyInstance,
  path: string,
  { tls }: Pick<Config, "tls">,
): WeakMap<IncomingMessage, Handshake> {
  const handshakes = new WeakMap<IncomingMessage, Handshake>();
  const { server } = app;
  server.on(tls ? "secureConnection" : "connection", ({ parser }: { parser?: Parser | null }) => {
    const onIncoming = parser?.onIncoming;
    if (!parser || !onIncoming) return;
    parser.onIncoming = (request, shouldKeepAlive) => {
      if (isUpgrade(request) && !isHandshake(request, path)) Object.assign(request, { upgrade: false });
      return onIncoming(request, shouldKeepAlive);
    };
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Without a listener, a client that disconnects would end the process.
    socket.on("error", () => undefined);
    const response = new ServerResponse(request);
    // The connection cannot be kept alive, because Node no longer reads requests from it.
    response.shouldKeepAlive = false;
    response.assignSocket(socket as never);
    response.once("finish", () => socket.end());
    handshakes.set(request, { socket, head });
    app.routing(request, response);
  });
  return handshakes;
}

const isUpgrade = (request: IncomingMessage & { upgrade?: boolean }): boolean =>
  request.upgrade === true && request.method !== "CONNECT";

const isHandshake = ({ method, url = "", headers }: IncomingMessage, path: string): boolean =>
  method === "GET" && url.split("?", 1)[0] === path && headers.upgrade?.toLowerCase() === "websocket";
