import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** How long a stop waits for connections on which no request is under way (ms): one may be on its way here. */
const QUIET_MS = 1_000;
/** How long a stop waits for requests under way (ms): longer than a write waits for a locked database. */
const LONGEST_MS = 8_000;

/** Follows requests from their head to the end of their answer, or until their client is gone. */
export class RequestsUnderWay {
  private underWay = 0;
  private onNone = () => {};

  /** @param onEnd told of each request when it has ended */
  constructor(private readonly onEnd: (request: FastifyRequest, reply: FastifyReply) => void) {}

  get count(): number {
    return this.underWay;
  }

  /** Begins to follow; hooks that come later may refuse requests. */
  follow(app: FastifyInstance): void {
    app.addHook("onRequest", (request, reply, done) => {
      this.underWay += 1;
      // The one event that comes in any case, also where the client goes away before it has its answer.
      reply.raw.once("close", () => {
        this.underWay -= 1;
        if (this.underWay === 0) this.onNone();
        this.onEnd(request, reply);
      });
      done();
    });
  }

  /**
   * For one who stops the server: resolves once there are none and none is likely to come, at the latest after eight
   * seconds. The server itself would wait for ever for a connection on which nothing was ever asked, as browsers open
   * them, and for a client that never finishes its body. @returns how many are given up
   */
  ended(): Promise<number> {
    return new Promise((resolve) => {
      const give = () => resolve(this.underWay);
      setTimeout(give, LONGEST_MS).unref();
      setTimeout(() => {
        this.onNone = give;
        if (this.underWay === 0) give();
      }, QUIET_MS).unref();
    });
  }
}
