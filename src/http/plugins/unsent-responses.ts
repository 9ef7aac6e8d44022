import type { Socket } from "node:net";

/** Interval between checks for clients that do not read their responses (ms). */
const SWEEP_INTERVAL_MS = 1_000;

const MAX_UNSENT_BYTES = 64 * 1_048_576;

/** A response that is ready but not yet fully sent. */
export interface Unsent {
  readonly socket: Socket;
  readonly bytes: number;
  readonly since: number;
}

/**
 * Tracks responses that are waiting for their clients to read them. Closes connections whose response has waited too
 * long. While there are too many responses, or they use too much memory, it also closes the connections whose response
 * has waited longest.
 */
export class UnsentResponses {
  /**
   * Responses in the order they became ready. The set must not reference requests, because as it grows and shrinks, its
   * discarded tables keep their contents alive until a full garbage collection.
   */
  private readonly responses = new Set<Unsent>();
  private bytes = 0;
  private readonly timer: NodeJS.Timeout;

  /**
   * @param max max responses waiting longer than `SWEEP_INTERVAL_MS`
   * @param now a monotonic clock (ms)
   */
  constructor(
    private readonly max: number,
    private readonly timeoutMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.timer = setInterval(() => this.sweep(), SWEEP_INTERVAL_MS).unref();
  }

  get count(): number {
    return this.responses.size;
  }

  /** Starts tracking a response; pass the result to `delete`. */
  add(socket: Socket, bytes: number): Unsent {
    const response = { socket, bytes, since: this.now() };
    this.responses.add(response);
    this.bytes += bytes;
    return response;
  }

  /** Stops tracking a response that was sent or whose connection closed. */
  delete(response: Unsent): void {
    if (this.responses.delete(response)) this.bytes -= response.bytes;
  }

  /** Closes the connections of clients that do not read; `delete` removes their responses once closed. */
  sweep(): void {
    let { count, bytes } = this;
    for (const response of this.responses) {
      const waited = this.now() - response.since;
      // Never closes the connection of a new response, because most responses are sent within moments.
      if (waited < SWEEP_INTERVAL_MS) return;
      if (waited < this.timeoutMs && count <= this.max && bytes <= MAX_UNSENT_BYTES) return;
      response.socket.destroy();
      count--;
      bytes -= response.bytes;
    }
  }

  close(): void {
    clearInterval(this.timer);
  }
}
