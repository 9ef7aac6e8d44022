import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { clientAddress } from "../../auth/client-address";
import { ByteBudget } from "../../common/byte-budget";
import { networkOf } from "../../common/network";
import type { Config } from "../../config";
import { GatewayError } from "../../errors";
import { parseJson, requireJson } from "./json-body";

/** Largest body of a caller without a credential: more than any sign-in. */
export const ANONYMOUS_BODY_LIMIT = 16_384;

/** Memory for bodies that are arriving (bytes), all connections together. */
const MAX_BUFFERED = 64 * 1_048_576;
const MAX_BUFFERED_ANONYMOUS = 16 * 1_048_576;

/** Bodies of the largest size for which there is memory in any case. */
const MIN_LARGEST_BODIES = 8;

/**
 * Reads JSON bodies into a bounded amount of memory: callers without a credential may send small ones only, and
 * have a budget apart, so that they cannot use up that of the others.
 */
export function readJsonBodies(
  app: FastifyInstance,
  { bodyLimitBytes }: Pick<Config, "bodyLimitBytes">,
): void {
  const known = new ByteBudget(Math.max(MAX_BUFFERED, MIN_LARGEST_BODIES * bodyLimitBytes));
  const anonymous = new ByteBudget(MAX_BUFFERED_ANONYMOUS);
  app.addContentTypeParser("application/json", async (request: FastifyRequest, payload: Readable) => {
    requireJson(request.headers);
    const { bodyLimit } = request.routeOptions;
    const caller = request.callContext?.caller;
    const isKnown = caller !== undefined && caller.kind !== "anonymous";
    const limit = isKnown ? bodyLimit : Math.min(bodyLimit, ANONYMOUS_BODY_LIMIT);
    const body = new BodyBuffer(limit, request.headers["content-length"], (bytes) =>
      (isKnown ? known : anonymous).take(holderOf(request), bytes),
    );
    try {
      return parseJson(await body.read(payload));
    } catch (error) {
      // Counted with the others that there is no room for, not logged one by one.
      request.wasShed = error === NO_ROOM;
      throw error;
    } finally {
      body.release();
    }
  });
}

/** Who answers for the memory that a body takes. */
function holderOf(request: FastifyRequest): string {
  const caller = request.callContext?.caller;
  if (caller?.kind === "agent") return caller.key.id;
  return caller?.kind === "member" ? caller.id : networkOf(clientAddress(request));
}

// Made once: an attack meets it often, and taking the stack is dear.
const NO_ROOM = new GatewayError("unavailable", "Too many request bodies are arriving. Try again shortly.");
const TOO_LARGE = new GatewayError("payload_too_large");

const EMPTY = Buffer.alloc(0);

/** A body that grows as it arrives, never beyond its limit; what it may take is asked for before it is taken. */
class BodyBuffer {
  private bytes = EMPTY;
  private length = 0;
  private readonly expected: number;
  private readonly returns: (() => void)[] = [];

  /** @param take reserves memory; undefined where there is none, else gives it back when called */
  constructor(
    private readonly limit: number,
    contentLength: string | undefined,
    private readonly take: (bytes: number) => (() => void) | undefined,
  ) {
    this.expected = contentLength === undefined ? limit : Number(contentLength);
    if (this.expected > limit) throw TOO_LARGE;
  }

  /** @throws GatewayError `payload_too_large`, `unavailable`, or Error when the client goes away */
  read(payload: Readable): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const onData = (chunk: Buffer) => {
        try {
          this.add(chunk);
        } catch (error) {
          settle(error);
        }
      };
      const onEnd = () => settle();
      // The client went away: no one reads the answer, and nothing is wrong here.
      const onError = (cause: Error) => settle(new GatewayError("invalid_request", undefined, { cause }));
      const settle = (error?: unknown) => {
        payload.off("data", onData).off("end", onEnd).off("error", onError);
        // Without a listener, a late error would end the process.
        payload.on("error", () => undefined);
        if (error === undefined) resolve(this.bytes.subarray(0, this.length));
        else reject(error);
      };
      payload.on("data", onData).on("end", onEnd).on("error", onError);
    });
  }

  /** Gives all memory back. */
  release(): void {
    for (const giveBack of this.returns.splice(0)) giveBack();
    this.bytes = EMPTY;
  }

  private add(chunk: Buffer): void {
    const length = this.length + chunk.length;
    if (length > this.limit) throw TOO_LARGE;
    if (length > this.bytes.length)
      this.grow(Math.min(Math.max(length, 2 * this.bytes.length), this.expected));
    chunk.copy(this.bytes, this.length);
    this.length = length;
  }

  private grow(capacity: number): void {
    const giveBack = this.take(capacity - this.bytes.length);
    if (giveBack === undefined) throw NO_ROOM;
    this.returns.push(giveBack);
    const bytes = Buffer.allocUnsafe(capacity);
    this.bytes.copy(bytes, 0, 0, this.length);
    this.bytes = bytes;
  }
}
