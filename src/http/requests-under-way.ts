import type { FastifyInstance } from "fastify";

/** How long a stop waits for connections on which no request is under way (ms): one may be on its way here. */
const QUIET_MS = 1_000;
/** How long a stop waits for requests under way (ms): longer than a write waits for a locked database. */
const LONGEST_MS = 8_000;

/** Knows how many requests are under way, for the end of a server. */
export interface RequestsUnderWay {
  /**
   * For one who stops the server: resolves once there are none and none is likely to come, at the latest after eight
   * seconds. The server itself would wait for ever for a connection on which nothing was ever asked, as browsers open
   * them, and for a client that never finishes its body. @returns how many are given up
   */
  ended(): Promise<number>;
}

/** Counts requests from their head to the end of their answer. */
export function countRequests(app: FastifyInstance): RequestsUnderWay {
  let count = 0;
  let onNone = () => {};
  const ended = () => {
    count -= 1;
    if (count === 0) onNone();
  };
  app.addHook("onRequest", (_request, reply, done) => {
    count += 1;
    // Also where the client goes away, unlike the hooks.
    reply.raw.once("close", ended);
    done();
  });
  return {
    ended: () =>
      new Promise((resolve) => {
        const give = () => resolve(count);
        setTimeout(give, LONGEST_MS).unref();
        setTimeout(() => {
          onNone = give;
          if (count === 0) give();
        }, QUIET_MS).unref();
      }),
  };
}
