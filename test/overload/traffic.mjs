import { Agent, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";

const TICK_MS = 5;

/** Pause of a closed loop after a failed connection, so that a dead server is not flooded (ms). */
const RETRY_INTERVAL_MS = 20;

/**
 * Creates the building blocks of attacks: requests and raw connections to 127.0.0.1 that all end when the time is up.
 * @param options.port the server's port
 * @param options.seconds duration of the attack
 */
export function createTraffic({ port, seconds }) {
  const endsAt = performance.now() + seconds * 1000;
  const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });
  const sockets = new Set();
  const pending = new Set();
  const answers = {};
  let sent = 0;
  let closed = false;

  const isOver = () => closed || performance.now() >= endsAt;
  const count = (status) => {
    if (closed) return;
    answers[status] = (answers[status] ?? 0) + 1;
  };

  /**
   * Sends a request and reads the whole response.
   * @returns its `status` (0: no response) and number of `bytes`
   */
  const send = ({ method = "GET", path, headers = {}, body }) =>
    new Promise((resolve) => {
      if (closed) return resolve({ status: 0, bytes: 0 });
      sent++;
      let bytes = 0;
      const finish = (status) => {
        pending.delete(request);
        count(status);
        resolve({ status, bytes });
      };
      const json = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
      const request = httpRequest({
        host: "127.0.0.1",
        port,
        agent,
        method,
        path,
        headers: {
          // GraphQL has a status for each error only with its own media type.
          accept: "application/graphql-response+json, */*",
          ...(json !== undefined && {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(json),
          }),
          ...headers,
        },
      });
      pending.add(request);
      request.once("error", () => finish(0));
      request.once("response", (response) => {
        response.on("data", (chunk) => {
          bytes += chunk.length;
        });
        response.once("error", () => {});
        response.once("close", () => finish(response.complete ? response.statusCode : 0));
      });
      request.end(json);
    });

  /** Opens a raw connection, which counts as one request; a failure just ends it. */
  const open = () => {
    sent++;
    const socket = connect({ host: "127.0.0.1", port, noDelay: true });
    sockets.add(socket);
    socket.on("error", () => {});
    return socket;
  };

  /**
   * Lets `connections` send one request after the other.
   * @param next sends the next request and returns the response, like `send`
   */
  const closedLoop = async (connections, next, limit = Number.POSITIVE_INFINITY) => {
    let started = 0;
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (!isOver() && started < limit) {
          const { status } = await next(started++);
          if (status === 0) await setTimeout(RETRY_INTERVAL_MS);
        }
      }),
    );
  };

  /** Sends at a rate, whether or not earlier requests got responses. */
  const openLoop = async (perSecond, next) => {
    const from = performance.now();
    const all = [];
    while (!isOver()) {
      const due = Math.floor(((performance.now() - from) * perSecond) / 1000);
      while (all.length < due) all.push(next(all.length));
      await setTimeout(TICK_MS);
    }
    close();
    await Promise.all(all);
  };

  const untilEnd = () => setTimeout(Math.max(0, endsAt - performance.now()));

  /** Ends every connection; later events do not count. */
  function close() {
    closed = true;
    for (const each of [...pending, ...sockets]) each.destroy();
    agent.destroy();
  }

  // Requests that still wait for a response are abandoned.
  void untilEnd().then(close);

  return {
    port,
    isOver,
    send,
    open,
    count,
    closedLoop,
    openLoop,
    untilEnd,
    close,
    /** Returns the number of bytes that the raw connections have sent. */
    rawBytes: () => [...sockets].reduce((sum, each) => sum + each.bytesWritten - each.writableLength, 0),
    /** Returns the number of sent requests and opened connections, and the responses by status (0: no response). */
    totals: () => ({ sent, answers: { ...answers } }),
  };
}
