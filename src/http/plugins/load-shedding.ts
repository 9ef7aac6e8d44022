import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { logThrottle } from "../../common/throttled-log";
import type { Config } from "../../config";
import { GatewayError } from "../../errors";
import type { InFlightRequests } from "./in-flight-requests";
import { LoadMonitor } from "./load-monitor";
import { UnsentAnswers } from "./unsent-answers";

/**
 * Refusals in one turn of the event loop. A refused client comes back at once: were they all answered where they are
 * read, the loop would read and refuse without an end, and nothing that was accepted would go on.
 */
const REFUSALS_A_TURN = 100;

/** Bytes, near enough; a stream is read as fast as it leaves. */
const sizeOf = (payload: unknown): number =>
  typeof payload === "string" || Buffer.isBuffer(payload) ? payload.length : 0;

/** Log refusals at most once per interval (ms). */
const LOG_INTERVAL_MS = 1_000;

declare module "fastify" {
  interface FastifyRequest {
    /** Since when it counts as work, as LoadMonitor tells it; undefined while it does not. */
    work: number | undefined;
    /** Whether it was refused because there was too much to do. */
    wasShed: boolean;
    /** Runs work that does not count, because a bounded queue of its own already limits it. */
    outsideLoad<T>(work: () => Promise<T>): Promise<T>;
  }
}

/**
 * Answers 503 at once when there is too much to do, before anybody is authenticated or a body is read: what is
 * accepted is still answered soon. Sending a body is the client's work, which it may do as slowly as it likes; an
 * answer that has not left counts, though never as late.
 */
export function shedOverload(
  app: FastifyInstance,
  { maxRequestsInFlight, requestTimeoutMs }: Pick<Config, "maxRequestsInFlight" | "requestTimeoutMs">,
  log: Logger,
  requests: InFlightRequests,
): void {
  const unsent = new UnsentAnswers<FastifyRequest>(Math.ceil(maxRequestsInFlight / 2), requestTimeoutMs);
  const load = new LoadMonitor(maxRequestsInFlight, () => unsent.count);
  // Made once: taking the stack costs more than the whole refusal.
  const refusal = new GatewayError("unavailable");
  const throttle = logThrottle(LOG_INTERVAL_MS);
  const logRefusal = () => {
    const suppressed = throttle();
    if (suppressed !== undefined)
      log.warn({ refused: suppressed + 1 }, "too much to do: requests are refused");
  };

  const waiting: ((error: GatewayError) => void)[] = [];
  const refuseSome = () => {
    for (const done of waiting.splice(0, REFUSALS_A_TURN)) done(refusal);
    if (waiting.length > 0) setImmediate(refuseSome);
  };

  app.decorateRequest("work", undefined);
  app.decorateRequest("wasShed", false);
  app.addHook("onRequest", (request, _reply, done) => {
    if (load.isOverloaded && !request.routeOptions.config.isManagement) {
      request.wasShed = true;
      logRefusal();
      if (waiting.push(done) === 1) setImmediate(refuseSome);
      return;
    }
    request.work = load.begin();
    done();
  });
  const pause = (request: FastifyRequest) => {
    if (request.work !== undefined) load.end(request.work);
    request.work = undefined;
  };
  app.decorateRequest("outsideLoad", async function <T>(this: FastifyRequest, work: () => Promise<T>) {
    pause(this);
    try {
      return await work();
    } finally {
      this.work ??= load.begin();
    }
  });
  app.addHook("preParsing", (request, _reply, payload, done) => {
    const { "content-length": length, "transfer-encoding": encoding } = request.headers;
    if (length !== undefined || encoding !== undefined) pause(request);
    done(null, payload);
  });
  app.addHook("preValidation", (request, _reply, done) => {
    request.work ??= load.begin();
    done();
  });
  // From here on it waits for its client alone. A client that has gone away waits for nothing; its work goes on till
  // here.
  app.addHook("onSend", (request, _reply, payload, done) => {
    pause(request);
    const { socket } = request.raw;
    if (!socket.destroyed) unsent.add(request, socket, sizeOf(payload));
    done(null, payload);
  });
  requests.onEnd((request) => unsent.delete(request));
  app.addHook("onClose", async () => unsent.close());
}
