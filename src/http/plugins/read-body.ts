import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { keyOf } from "../../auth/caller";
import { clientAddress } from "../../auth/client-address";
import { Budget } from "../../common/budget";
import { customerNetworkOf, networkOf } from "../../common/network";
import type { Config } from "../../config";
import { GatewayError } from "../../errors";
import { parseJson, requireJson } from "./json-body";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Max body size for members and organization keys (bytes), if it differs from the route's. */
    memberBodyLimit?: number;
  }

  interface FastifyRequest {
    /**
     * Reads a body of any type, with the caller's size limit and memory budget.
     * @throws GatewayError `payload_too_large`, `unavailable`, or `invalid_request` if the client disconnects
     */
    readBody(payload: Readable, use: (body: Buffer) => unknown): Promise<unknown>;
  }
}

/** Max body size for callers without a credential (bytes), more than any sign-in needs. */
export const ANONYMOUS_BODY_LIMIT = 16_384;

/** Memory for incoming bodies on all connections (bytes). */
const MAX_BUFFERED = 64 * 1_048_576;
const MAX_BUFFERED_ANONYMOUS = 16 * 1_048_576;

/** Max fraction of the memory per organization; half stays free for others. */
const ORGANIZATION_SHARE = 0.5;

/** Max fraction of the memory per caller or network; an organization may have many of each. */
const CALLER_SHARE = 0.25;

/** The budget has room for at least this many bodies of the max size. */
const MIN_LARGEST_BODIES = 8;

/**
 * Reads request bodies: JSON automatically, any other content type through `request.readBody`. Anonymous callers have
 * a lower size limit and a memory budget of their own.
 */
export function readJsonBodies(
  app: FastifyInstance,
  { bodyLimitBytes }: Pick<Config, "bodyLimitBytes">,
): void {
  const known = new Bodies(Math.max(MAX_BUFFERED, MIN_LARGEST_BODIES * bodyLimitBytes));
  const anonymous = new Bodies(MAX_BUFFERED_ANONYMOUS);
  app.decorateRequest("readBody", function (payload, use) {
    const { caller } = this.callContext ?? {};
    const organizationId =
      caller === undefined || caller.kind === "anonymous" ? null : caller.organization.id;
    const limits = { max: limitOf(this), organizationId, holder: holderOf(this) };
    const bodies = organizationId === null ? anonymous : known;
    return bodies.read(this, payload, limits, (parts) => use(joined(parts)));
  });
  app.addContentTypeParser("application/json", (request: FastifyRequest, payload: Readable) => {
    requireJson(request.headers);
    return request.readBody(payload, parseJson);
  });
}

/** Reads bodies within a memory budget. */
export class Bodies {
  private readonly budget: Budget;

  /** @param bytes memory for all bodies; an organization can use at most half of it, and each holder a quarter */
  constructor(bytes = MAX_BUFFERED) {
    this.budget = new Budget(bytes, bytes * CALLER_SHARE, bytes * ORGANIZATION_SHARE);
  }

  /**
   * Reads a whole body, in parts of at most 1 MiB, and frees its memory when `use` has ended.
   * @param limits max size (bytes) and the holder of the memory: a caller or network, and its organization if known
   * @throws GatewayError `payload_too_large`, `unavailable`, or `invalid_request` if the client disconnects
   */
  async read<T>(
    request: FastifyRequest,
    payload: Readable,
    { max, holder, organizationId }: { max: number; holder: string; organizationId: string | null },
    use: (body: readonly Buffer[]) => T | Promise<T>,
  ): Promise<T> {
    const holders = organizationId === null ? [holder] : [holder, organizationId];
    const body = new BodyBuffer(max, request.headers["content-length"], (bytes) =>
      this.budget.take(holders, bytes),
    );
    try {
      return await use(await body.read(payload));
    } catch (error) {
      // Marks the request as shed, so that the rejection is not logged for each request.
      request.wasShed ||= error === NO_ROOM;
      throw error;
    } finally {
      body.release();
    }
  }
}

/** Reads bodies of at most `max` bytes from callers without a credential, in a budget shared by their networks. */
export function readAnonymousBodies(
  app: FastifyInstance,
  contentTypes: string | string[],
  max: number,
  parse: (text: string) => unknown,
): void {
  const bodies = new Bodies();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(contentTypes, (request: FastifyRequest, payload: Readable) => {
    const holder = customerNetworkOf(clientAddress(request));
    const limits = { max, holder, organizationId: null };
    return bodies.read(request, payload, limits, (parts) => parse(joined(parts).toString("utf8")));
  });
}

/** Joins the parts of a body. */
export const joined = (body: readonly Buffer[]): Buffer =>
  body.length === 1 && body[0] !== undefined ? body[0] : Buffer.concat(body);

function limitOf({ callContext, routeOptions: { bodyLimit, config } }: FastifyRequest): number {
  switch (callContext?.caller.kind) {
    case "member":
    case "organizationKey":
      return config.memberBodyLimit ?? bodyLimit;
    case "agent":
      return bodyLimit;
    default:
      return Math.min(bodyLimit, ANONYMOUS_BODY_LIMIT);
  }
}

/** Returns the budget holder of a request: the key, the member or the client's network. */
function holderOf(request: FastifyRequest): string {
  const caller = request.callContext?.caller ?? { kind: "anonymous" };
  if (caller.kind === "member") return caller.id;
  return keyOf(caller)?.id ?? networkOf(clientAddress(request));
}

// These errors are created only once, because capturing a stack trace for each is expensive during an attack.
const NO_ROOM = new GatewayError("unavailable", "Too many request bodies are arriving. Try again soon.");
const TOO_LARGE = new GatewayError("payload_too_large");

/** Max size of a part (bytes); the system takes milliseconds to allocate larger ones. */
const PART_MAX_BYTES = 1_048_576;

/** A body buffer that grows as data arrives, up to a limit, and reserves memory before growing. */
class BodyBuffer {
  private parts: Buffer[] = [];
  /** Used bytes of the last part. */
  private used = 0;
  private length = 0;
  private readonly expected: number;
  private readonly returns: (() => void)[] = [];

  /**
   * @param limit max size (bytes)
   * @param take reserves memory and returns a function that releases it, or undefined if the budget is exhausted
   */
  constructor(
    private readonly limit: number,
    contentLength: string | undefined,
    private readonly take: (bytes: number) => (() => void) | undefined,
  ) {
    this.expected = contentLength === undefined ? limit : Number(contentLength);
    if (this.expected > limit) throw TOO_LARGE;
  }

  /** @throws GatewayError `payload_too_large`, `unavailable`, or `invalid_request` if the client disconnects */
  read(payload: Readable): Promise<readonly Buffer[]> {
    return new Promise((resolve, reject) => {
      const onData = (chunk: Buffer) => {
        try {
          this.add(chunk);
        } catch (error) {
          settle(error);
        }
      };
      const onEnd = () => settle();
      // The client disconnected: this is not a server error.
      const onError = (cause: Error) => settle(new GatewayError("invalid_request", undefined, { cause }));
      const settle = (error?: unknown) => {
        payload.off("data", onData).off("end", onEnd).off("error", onError);
        // Without a listener, a late error would crash the process.
        payload.on("error", () => undefined);
        if (error === undefined) resolve(this.filled());
        else reject(error);
      };
      payload.on("data", onData).on("end", onEnd).on("error", onError);
    });
  }

  release(): void {
    for (const release of this.returns.splice(0)) release();
    this.parts = [];
  }

  private filled(): readonly Buffer[] {
    const last = this.parts.pop();
    return last === undefined ? [] : [...this.parts, last.subarray(0, this.used)];
  }

  private add(chunk: Buffer): void {
    if (this.length + chunk.length > this.limit) throw TOO_LARGE;
    for (let copied = 0; copied < chunk.length; ) {
      if (this.used === this.parts.at(-1)?.length || this.parts.length === 0)
        this.grow(chunk.length - copied);
      const bytes = chunk.copy(this.parts.at(-1) as Buffer, this.used, copied);
      this.used += bytes;
      this.length += bytes;
      copied += bytes;
    }
  }

  /** Adds a part that doubles the size, or a larger part if more bytes are missing. */
  private grow(missing: number): void {
    const doubled = Math.min(this.length, this.expected - this.length);
    const size = Math.min(Math.max(missing, doubled), PART_MAX_BYTES);
    const release = this.take(size);
    if (release === undefined) throw NO_ROOM;
    this.returns.push(release);
    this.parts.push(Buffer.allocUnsafe(size));
    this.used = 0;
  }
}
