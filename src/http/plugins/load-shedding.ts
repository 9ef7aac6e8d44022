import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { clientAddress } from "../../auth/client-address";
import { lruCache } from "../../common/lru-cache";
import { customerNetworkOf } from "../../common/network";
import { logThrottle } from "../../common/throttled-log";
import type { Config } from "../../config";
import { sha256 } from "../../credentials/sha256";
import { GatewayError } from "../../errors";
import type { InFlightRequests } from "./in-flight-requests";
import { type Load, LoadMonitor } from "./load-monitor";
import { type Unsent, UnsentResponses } from "./unsent-responses";

/** Max rejections per event-loop tick. Rejecting synchronously lets retrying clients starve accepted requests. */
const MAX_REJECTIONS_PER_TICK = 100;

/** Returns the approximate size in bytes; a stream counts as empty, because backpressure limits it. */
const sizeOf = (payload: unknown): number =>
  typeof payload === "string" || Buffer.isBuffer(payload) ? payload.length : 0;

const MAX_CREDENTIALS = 10_000;

const LOG_INTERVAL_MS = 1_000;

declare module "fastify" {
  interface FastifyRequest {
    /** The load of the request; undefined while the request does not count as load. */
    load: Load | undefined;
    /** The organization that the request counts toward, or the network while the caller is unknown. */
    loadOwner: string;
    /** The response while its client reads it; undefined before that, or if the client has disconnected. */
    unsentResponse: Unsent | undefined;
    wasShed: boolean;
    /**
     * Counts the request toward its organization instead of its network.
     * @param options.isCredential true if its Authorization header or cookie identified the organization
     * @throws GatewayError `unavailable` if the organization has too many requests in flight, or too many late ones
     */
    countLoadOf(organizationId: string, options?: { isCredential?: boolean }): void;
    /** Runs work that does not count as load, because a separate bounded queue already limits it. */
    outsideLoad<T>(work: () => Promise<T>): Promise<T>;
  }
}

/**
 * Rejects requests with 503 under overload, before authentication and before reading a body, so that accepted requests
 * stay fast. A request is also rejected if its organization (or its network while the caller is unknown) has used up
 * its share of in-flight requests or has too many late ones; requests from others are not affected. Receiving a body
 * does not count as load; an unsent response does, but it never counts as late.
 */
export function shedOverload(
  app: FastifyInstance,
  { maxRequestsInFlight, requestTimeoutMs }: Pick<Config, "maxRequestsInFlight" | "requestTimeoutMs">,
  log: Logger,
  requests: InFlightRequests,
): void {
  const unsent = new UnsentResponses(Math.ceil(maxRequestsInFlight / 2), requestTimeoutMs);
  const load = new LoadMonitor(maxRequestsInFlight);
  // Owners of known credentials, to shed their requests before authentication queries the database.
  const owners = lruCache<string, string>(MAX_CREDENTIALS);
  // The error is created only once, because capturing a stack trace would cost more than the rest of a rejection.
  const rejection = new GatewayError("unavailable");
  const throttle = logThrottle(LOG_INTERVAL_MS);
  const shed = (request: FastifyRequest) => {
    request.wasShed = true;
    const suppressed = throttle();
    if (suppressed !== undefined) log.warn({ refused: suppressed + 1 }, "overloaded: requests are rejected");
  };

  const waiting: ((error: GatewayError) => void)[] = [];
  const rejectSome = () => {
    for (const done of waiting.splice(0, MAX_REJECTIONS_PER_TICK)) done(rejection);
    if (waiting.length > 0) setImmediate(rejectSome);
  };

  app.decorateRequest("load", undefined);
  app.decorateRequest("loadOwner", "");
  app.decorateRequest("unsentResponse", undefined);
  app.decorateRequest("wasShed", false);
  const isShed = (request: FastifyRequest): boolean => {
    if (load.isOverloaded) return true;
    const credential = credentialOf(request);
    request.loadOwner =
      (credential === undefined ? undefined : owners.get(credential)) ??
      customerNetworkOf(clientAddress(request));
    return load.isOverloadedBy(request.loadOwner);
  };
  app.addHook("onRequest", (request, _reply, done) => {
    if (!request.routeOptions.config.isManagement && isShed(request)) {
      shed(request);
      if (waiting.push(done) === 1) setImmediate(rejectSome);
      return;
    }
    request.load = load.begin(request.loadOwner);
    done();
  });
  const pause = (request: FastifyRequest) => {
    if (request.load !== undefined) load.end(request.load);
    request.load = undefined;
  };
  const resume = (request: FastifyRequest) => {
    request.load ??= load.begin(request.loadOwner);
  };
  app.decorateRequest(
    "countLoadOf",
    function (this: FastifyRequest, organizationId: string, { isCredential = false } = {}) {
      if (this.loadOwner === organizationId) return;
      const credential = isCredential ? credentialOf(this) : undefined;
      if (credential !== undefined) owners.set(credential, organizationId);
      if (load.isOverloadedBy(organizationId)) {
        shed(this);
        throw rejection;
      }
      if (this.load !== undefined) load.assign(this.load, organizationId);
      this.loadOwner = organizationId;
    },
  );
  app.decorateRequest("outsideLoad", async function <T>(this: FastifyRequest, work: () => Promise<T>) {
    pause(this);
    try {
      return await work();
    } finally {
      resume(this);
    }
  });
  app.addHook("preParsing", (request, _reply, payload, done) => {
    const { "content-length": length, "transfer-encoding": encoding } = request.headers;
    if (length !== undefined || encoding !== undefined) pause(request);
    done(null, payload);
  });
  app.addHook("preValidation", (request, _reply, done) => {
    // Checks the load again, because many bodies may be complete simultaneously.
    if (request.load === undefined && load.isOverloadedBy(request.loadOwner)) {
      shed(request);
      done(rejection);
      return;
    }
    resume(request);
    done();
  });
  // The response is ready, so the request now waits only for its client to read it, unless the client has disconnected.
  app.addHook("onSend", (request, _reply, payload, done) => {
    const { socket } = request.raw;
    if (socket.destroyed) {
      pause(request);
    } else {
      resume(request);
      if (request.load !== undefined) load.answer(request.load);
      request.unsentResponse = unsent.add(socket, sizeOf(payload));
    }
    done(null, payload);
  });
  requests.onEnd(app, (request) => {
    if (request.unsentResponse !== undefined) unsent.delete(request.unsentResponse);
    if (request.unsentResponse !== undefined || request.isStream) pause(request);
  });
  app.addHook("onClose", async () => unsent.close());
}

/** Returns a digest of the request's credential; undefined if there is none. */
function credentialOf({ headers: { authorization, cookie } }: FastifyRequest): string | undefined {
  const credential = authorization ?? cookie;
  return credential === undefined ? undefined : sha256(credential);
}
