import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    endTracking: (() => void) | undefined;
    /** True if the response is a stream. */
    isStream: boolean;
  }
}

/** Max time that shutdown waits for requests on connections that have not sent any (ms). */
const QUIET_MS = 1_000;
/** Max time that shutdown waits for in-flight requests (ms), longer than a write waits for a locked database. */
const DRAIN_TIMEOUT_MS = 8_000;

/**
 * Max unanswered requests per connection. Pipelining clients send a few, but a packet can contain over a thousand
 * requests, which Node parses before it applies backpressure.
 */
export const MAX_UNANSWERED_PER_CONNECTION = 32;

type Listener = (request: FastifyRequest, reply: FastifyReply) => void;

/** The responses sent on a connection. */
interface Connection {
  readonly unanswered: Set<ServerResponse>;
  /** Responses that have not emitted `close`, including streams, whose requests count as answered. */
  readonly open: Set<ServerResponse>;
}

/** Tracks each request from its head until the response is sent or the client disconnects. */
export class InFlightRequests {
  private inFlight = 0;
  private onIdle = () => {};
  private readonly listeners = new WeakMap<FastifyInstance, Listener[]>();
  private readonly connections = new WeakMap<Socket, Connection>();

  /** @param onAnyEnd called when any request ends */
  constructor(private readonly onAnyEnd: Listener) {}

  get count(): number {
    return this.inFlight;
  }

  /** Adds a listener that is called when a request to a tracked server ends. */
  onEnd(app: FastifyInstance, listener: Listener): void {
    this.listeners.get(app)?.push(listener);
  }

  /** Tracks requests, and closes connections with too many unanswered ones. Call it before hooks that may reject. */
  track(app: FastifyInstance): void {
    app.decorateRequest("endTracking", undefined);
    app.decorateRequest("isStream", false);
    const listeners = [this.onAnyEnd];
    this.listeners.set(app, listeners);
    app.addHook("onRequest", (request, reply, done) => {
      const { socket } = request.raw;
      const { raw } = reply;
      const { unanswered, open } = this.connections.get(socket) ?? this.watch(socket);
      if (unanswered.size >= MAX_UNANSWERED_PER_CONNECTION) {
        closeUnparsed(socket);
        reply.hijack();
        return;
      }
      const end = () => {
        if (!unanswered.delete(raw)) return;
        this.inFlight -= 1;
        if (this.inFlight === 0) this.onIdle();
        for (const listener of listeners) listener(request, reply);
      };
      this.inFlight += 1;
      request.endTracking = end;
      unanswered.add(raw);
      open.add(raw);
      raw.on("close", () => {
        open.delete(raw);
        end();
      });
      done();
    });
  }

  /** Closes a connection's responses with it, because Node does not close pipelined responses that are queued. */
  private watch(socket: Socket): Connection {
    const connection = { unanswered: new Set<ServerResponse>(), open: new Set<ServerResponse>() };
    this.connections.set(socket, connection);
    socket.once("close", () => {
      for (const response of connection.open) {
        if (response.socket !== null) continue;
        response.destroy();
        response.emit("close");
      }
    });
    return connection;
  }

  /**
   * Waits until no request is in flight, for at most `DRAIN_TIMEOUT_MS`; the server itself would wait forever for
   * unused connections and unfinished bodies.
   * @returns the number of abandoned requests
   */
  drained(): Promise<number> {
    return new Promise((resolve) => {
      const finish = () => resolve(this.inFlight);
      setTimeout(finish, DRAIN_TIMEOUT_MS).unref();
      setTimeout(() => {
        this.onIdle = finish;
        if (this.inFlight === 0) finish();
      }, QUIET_MS).unref();
    });
  }
}

/**
 * Closes a connection without parsing the rest of its packet, which may contain over a thousand requests. Node has no
 * API for this, but its HTTP parser stops if `onIncoming` returns 2, as for an upgrade.
 */
function closeUnparsed(socket: Socket & { parser?: { onIncoming?: () => number } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => 2;
  socket.destroy();
}
