import type { Duplex } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { CloseCode } from "graphql-ws";
import { type WebSocket, WebSocketServer } from "ws";
import { originOf } from "../../auth/authenticate";
import { GatewayError } from "../../errors";
import { startStream } from "../../http/start-stream";
import type { Handshake, routeHandshakes } from "../../http/websocket-handshakes";
import { closeWith, GOING_AWAY } from "./close-codes";
import type { SubscriptionServer } from "./subscription-server";
import { TrafficLimit } from "./traffic-limit";

/** Max size of a message (bytes), the same as for bodies at `/graphql`. */
const MAX_MESSAGE_BYTES = 65_536;

/** Max fragments of a message; clients do not fragment messages of this size. */
const MAX_FRAGMENTS = 100;

/** Max data that a client has not read (bytes); a client that sends messages while more is unread is disconnected. */
const MAX_UNREAD_BYTES = 1_048_576;

/** Interval between pings (ms); a client that misses two pings is disconnected. */
const PING_INTERVAL_MS = 15_000;

const MAX_MISSED_PINGS = 2;

/** Max time for a client to respond to a close frame (ms). */
const CLOSE_TIMEOUT_MS = 1_000;

/** The WebSocket connections of this process, used by the subscription server. */
export class WebSockets {
  private readonly sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    maxFragments: MAX_FRAGMENTS,
    // Pings must be counted as messages before they are answered.
    autoPong: false,
    // If the client offers no known subprotocol, the connection is accepted and then closed with a specific code.
    handleProtocols: (offered) => [...offered].find((each) => each === "graphql-transport-ws") ?? false,
  });
  private readonly missedPings = new WeakMap<WebSocket, number>();
  private readonly pinger: NodeJS.Timeout;

  private isClosed = false;

  /** @param clock monotonic time (ms) */
  constructor(
    private readonly server: Pick<SubscriptionServer, "opened">,
    pingIntervalMs = PING_INTERVAL_MS,
    private readonly clock = () => performance.now(),
  ) {
    this.pinger = setInterval(() => this.ping(), pingIntervalMs).unref();
  }

  get connections(): number {
    return this.sockets.clients.size;
  }

  /** Accepts handshakes before later hooks, except from foreign pages: browsers let any page open WebSockets. */
  accept(
    scope: FastifyInstance,
    handshakes: ReturnType<typeof routeHandshakes>,
    rejectForeign: (request: FastifyRequest) => GatewayError | undefined,
  ): void {
    scope.addHook("onRequest", (request, reply, done) => {
      const handshake = handshakes.get(request.raw);
      if (handshake === undefined) return done();
      if (this.isClosed) return done(new GatewayError("unavailable"));
      if (!isComplete(request))
        return done(new GatewayError("invalid_request", "The WebSocket handshake is not valid."));
      const rejection = rejectForeign(request);
      if (rejection !== undefined) return done(rejection);
      this.upgrade(request, reply, handshake);
    });
  }

  /** Asks all clients to reconnect, and disconnects unresponsive ones. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.pinger);
    const { clients } = this.sockets;
    const closed = [...clients].map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    for (const socket of clients) socket.close(GOING_AWAY, "The server is stopping.");
    const timer = setTimeout(() => {
      for (const socket of clients) socket.terminate();
    }, CLOSE_TIMEOUT_MS);
    await Promise.all(closed);
    clearTimeout(timer);
  }

  private upgrade(request: FastifyRequest, reply: FastifyReply, { socket, head }: Handshake): void {
    const { raw } = reply;
    startStream(request, reply, 101);
    raw.detachSocket(socket as never);
    raw.emit("close");
    this.sockets.handleUpgrade(request.raw, socket, head, (opened) => this.serve(opened, socket, request));
  }

  private serve(socket: WebSocket, raw: Duplex, request: FastifyRequest): void {
    const credentials = { authorization: undefined, origin: originOf(request) };
    const traffic = new TrafficLimit(this.clock);
    raw.on("data", ({ length }: Buffer) => pauseFor(socket, traffic.takeBytes(length)));
    /** True if a message may be handled; counts it against the limit. */
    const admit = (): boolean => {
      // A client may continue to send until it reads the close frame.
      if (socket.readyState !== socket.OPEN) return false;
      if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate();
      else if (traffic.takeMessage()) return true;
      else cutOff(socket);
      return false;
    };
    // Resolves once the connection accepts more data, so that the next event waits.
    const send = (text: string): Promise<void> =>
      new Promise((resolve) => {
        if (socket.readyState === socket.OPEN) socket.send(text, () => resolve());
        else resolve();
      });
    const { receive, closed } = this.server.opened({
      socket,
      send,
      credentials,
      traffic,
      rejections: 0,
      subscriptions: new Map(),
    });
    socket.on("message", (data) => {
      if (!admit()) return;
      receive(String(data)).catch((err: unknown) => {
        request.log.error({ err }, "a WebSocket message failed");
        socket.close(CloseCode.InternalServerError, "An internal error occurred.");
      });
    });
    socket.on("ping", (data) => {
      if (admit()) socket.pong(data);
    });
    socket.on("pong", () => {
      if (admit()) this.missedPings.delete(socket);
    });
    // The library emits `error` for an invalid frame; the close code informs the client.
    socket.on("error", () => undefined);
    socket.once("close", closed);
  }

  private ping(): void {
    for (const socket of this.sockets.clients) {
      const missed = this.missedPings.get(socket) ?? 0;
      if (missed >= MAX_MISSED_PINGS) socket.terminate();
      else {
        this.missedPings.set(socket, missed + 1);
        socket.ping();
      }
    }
  }
}

/** Temporarily stops reading from a connection, to slow down its client. */
function pauseFor(socket: WebSocket, ms: number): void {
  if (ms === 0 || socket.isPaused) return;
  socket.pause();
  const timer = setTimeout(() => {
    if (socket.readyState === socket.OPEN) socket.resume();
  }, ms).unref();
  socket.once("close", () => clearTimeout(timer));
}

/** Closes a connection whose client sends too many messages, and stops reading them. */
function cutOff(socket: WebSocket): void {
  closeWith(socket, new GatewayError("rate_limited", "The client sent too many messages."));
  socket.pause();
  const timer = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref();
  socket.once("close", () => clearTimeout(timer));
}

/** True if the handshake meets the requirements of RFC 6455, section 4.2.1. */
const isComplete = ({ headers }: FastifyRequest): boolean =>
  headers["sec-websocket-version"] === "13" &&
  /^[+/0-9A-Za-z]{22}==$/.test(String(headers["sec-websocket-key"]));
