import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** How long a stop waits for connections on which no request is under way (ms): one may be on its way here. */
const QUIET_MS = 1_000;
/** How long a stop waits for requests under way (ms): longer than a write waits for a locked database. */
const MAX_MS = 8_000;

/**
 * Requests of one connection whose answers have not left. Node parses all that came in one packet, over a thousand
 * requests, before it waits for the client to read; clients that pipeline send a few.
 */
export const MAX_UNANSWERED_PER_CONNECTION = 32;

type Listener = (request: FastifyRequest, reply: FastifyReply) => void;

/** Follows requests from their head until their answer has left, or their client is gone. */
export class InFlightRequests {
  private underWay = 0;
  private onNone = () => {};
  private readonly listeners: Listener[];
  /** What ends each unanswered request of a connection. */
  private readonly unanswered = new WeakMap<Socket, Set<() => void>>();

  /** @param onEnd called for each request when it has ended */
  constructor(onEnd: Listener) {
    this.listeners = [onEnd];
  }

  get count(): number {
    return this.underWay;
  }

  /** Calls one more for each request when it has ended. */
  onEnd(listener: Listener): void {
    this.listeners.push(listener);
  }

  /**
   * Begins to follow, and closes connections with too many unanswered requests; hooks that come later may refuse some.
   */
  follow(app: FastifyInstance): void {
    dropRequestsOfClosedConnections(app.server);
    app.addHook("onRequest", (request, reply, done) => {
      const { socket } = request.raw;
      const unanswered = this.unanswered.get(socket) ?? this.watch(socket);
      if (unanswered.size >= MAX_UNANSWERED_PER_CONNECTION) {
        socket.destroy();
        reply.hijack();
        return;
      }
      const end = () => {
        if (!unanswered.delete(end)) return;
        this.underWay -= 1;
        if (this.underWay === 0) this.onNone();
        for (const listener of this.listeners) listener(request, reply);
      };
      this.underWay += 1;
      unanswered.add(end);
      reply.raw.once("close", end);
      done();
    });
  }

  /** An answer that waits for one before it on its connection has no `close` event when the connection goes. */
  private watch(socket: Socket): Set<() => void> {
    const unanswered = new Set<() => void>();
    this.unanswered.set(socket, unanswered);
    socket.once("close", () => {
      for (const end of [...unanswered]) end();
    });
    return unanswered;
  }

  /**
   * For one who stops the server: resolves once there are none and none is likely to come, at the latest after eight
   * seconds. The server itself would wait for ever for a connection on which nothing was ever asked, as browsers open
   * them, and for a client that never finishes its body. @returns how many are given up
   */
  ended(): Promise<number> {
    return new Promise((resolve) => {
      const give = () => resolve(this.underWay);
      setTimeout(give, MAX_MS).unref();
      setTimeout(() => {
        this.onNone = give;
        if (this.underWay === 0) give();
      }, QUIET_MS).unref();
    });
  }
}

/** A closed connection still hands over the rest of its packet, over a thousand requests: they are not worth a look. */
function dropRequestsOfClosedConnections(server: Server): void {
  const listeners = server.listeners("request") as RequestListener[];
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    if (request.socket.destroyed) return;
    for (const listener of listeners) listener.call(server, request, response);
  });
}
