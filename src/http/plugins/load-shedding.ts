import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { logThrottle } from "../../common/throttled-log";
import type { Config } from "../../config";
import { GatewayError } from "../../errors";
import type { InFlightRequests } from "./in-flight-requests";
import { LoadMonitor } from "./load-monitor";
import { type Unsent, UnsentResponses } from "./unsent-responses";

/**
 * Max rejections per event-loop tick. Rejecting synchronously lets retrying clients starve accepted requests.
 */
const MAX_REJECTIONS_PER_TICK = 100;

/** Returns the approximate size in bytes; a stream counts as empty, because backpressure limits it. */
const sizeOf = (payload: unknown): number =>
  typeof payload === "string" || Buffer.isBuffer(payload) ? payload.length : 0;

/** Log rejections at most once per interval (ms). */
const LOG_INTERVAL_MS = 1_000;

declare module "fastify" {
  interface FastifyRequest {
    /** The LoadMonitor slot of the request; undefined while it does not count as load. */
    loadSlot: number | undefined;
    /** The organization or network that the request counts for; undefined until its caller is known. */
    loadOwner: string | undefined;
    /** The response while it waits for its client; undefined before that, or if the client has disconnected. */
    unsentResponse: Unsent | undefined;
    /** Whether the request was rejected because of overload. */
    wasShed: boolean;
    /**
     * Counts the request for its organization or network from now on.
     * @throws GatewayError `unavailable` if too many requests of that owner are late
     */
    countLoadOf(owner: string): void;
    /** Runs work that does not count as load, because a separate bounded queue already limits it. */
    outsideLoad<T>(work: () => Promise<T>): Promise<T>;
  }
}

/**
 * Rejects requests with 503 under overload, before authentication and before reading a body, so that accepted requests
 * stay fast. A request with a known caller is also rejected if too many of its organization are late; those alone do not
 * shed the requests of others. Receiving a body does not count as load; an unsent response counts, but never as late.
 */
export function shedOverload(
  app: FastifyInstance,
  { maxRequestsInFlight, requestTimeoutMs }: Pick<Config, "maxRequestsInFlight" | "requestTimeoutMs">,
  log: Logger,
  requests: InFlightRequests,
): void {
  const unsent = new UnsentResponses(Math.ceil(maxRequestsInFlight / 2), requestTimeoutMs);
  const load = new LoadMonitor(maxRequestsInFlight, () => unsent.count);
  // Created once, because capturing a stack costs more than the whole rejection.
  const rejection = new GatewayError("unavailable");
  const throttle = logThrottle(LOG_INTERVAL_MS);
  const logRejection = () => {
    const suppressed = throttle();
    if (suppressed !== undefined) log.warn({ refused: suppressed + 1 }, "overloaded: requests are rejected");
  };

  const waiting: ((error: GatewayError) => void)[] = [];
  const rejectSome = () => {
    for (const done of waiting.splice(0, MAX_REJECTIONS_PER_TICK)) done(rejection);
    if (waiting.length > 0) setImmediate(rejectSome);
  };

  app.decorateRequest("loadSlot", undefined);
  app.decorateRequest("loadOwner", undefined);
  app.decorateRequest("unsentResponse", undefined);
  app.decorateRequest("wasShed", false);
  app.addHook("onRequest", (request, _reply, done) => {
    if (load.isOverloaded && !request.routeOptions.config.isManagement) {
      request.wasShed = true;
      logRejection();
      if (waiting.push(done) === 1) setImmediate(rejectSome);
      return;
    }
    request.loadSlot = load.begin();
    done();
  });
  const pause = (request: FastifyRequest) => {
    if (request.loadSlot !== undefined) load.end(request.loadSlot, request.loadOwner);
    request.loadSlot = undefined;
  };
  app.decorateRequest("countLoadOf", function (this: FastifyRequest, owner: string) {
    if (load.isOverloadedBy(owner)) {
      this.wasShed = true;
      logRejection();
      throw rejection;
    }
    if (this.loadSlot !== undefined) load.assign(this.loadSlot, owner);
    this.loadOwner = owner;
  });
  app.decorateRequest("outsideLoad", async function <T>(this: FastifyRequest, work: () => Promise<T>) {
    pause(this);
    try {
      return await work();
    } finally {
      this.loadSlot ??= load.begin(this.loadOwner);
    }
  });
  app.addHook("preParsing", (request, _reply, payload, done) => {
    const { "content-length": length, "transfer-encoding": encoding } = request.headers;
    if (length !== undefined || encoding !== undefined) pause(request);
    done(null, payload);
  });
  app.addHook("preValidation", (request, _reply, done) => {
    request.loadSlot ??= load.begin(request.loadOwner);
    done();
  });
  // From here on, the request only waits for its client to read, unless the client has disconnected.
  app.addHook("onSend", (request, _reply, payload, done) => {
    pause(request);
    const { socket } = request.raw;
    if (!socket.destroyed) request.unsentResponse = unsent.add(socket, sizeOf(payload));
    done(null, payload);
  });
  requests.onEnd((request) => {
    if (request.unsentResponse !== undefined) unsent.delete(request.unsentResponse);
    if (request.isStream) pause(request);
  });
  app.addHook("onClose", async () => unsent.close());
}
