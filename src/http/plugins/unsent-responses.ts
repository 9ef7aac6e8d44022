import type { Socket } from "node:net";

/** How often to check for clients that do not read (ms). */
const SWEEP_INTERVAL_MS = 1_000;

/** Max memory of unsent responses (bytes). */
const MAX_UNSENT_BYTES = 64 * 1_048_576;

/** A response that is ready but not sent. */
interface Unsent {
  socket: Socket;
  bytes: number;
  since: number;
}

/**
 * Tracks responses that wait for their clients to read. It closes connections whose response has waited too long, and
 * the longest-waiting ones while there are too many responses or they use too much memory.
 */
export class UnsentResponses<Id extends object> {
  /** Responses in the order in which they became ready. */
  private readonly responses = new Map<Id, Unsent>();
  private bytes = 0;
  private readonly timer: NodeJS.Timeout;

  /**
   * @param max max responses that may wait longer than `SWEEP_INTERVAL_MS`
   * @param timeoutMs how long a response may wait
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

  add(id: Id, socket: Socket, bytes: number): void {
    this.responses.set(id, { socket, bytes, since: this.now() });
    this.bytes += bytes;
  }

  /** Stops tracking a response that was sent or whose connection closed. */
  delete(id: Id): void {
    this.bytes -= this.responses.get(id)?.bytes ?? 0;
    this.responses.delete(id);
  }

  /** Closes the connections of clients that do not read; `delete` removes their responses once they are closed. */
  sweep(): void {
    let { count, bytes } = this;
    for (const response of this.responses.values()) {
      const waited = this.now() - response.since;
      // A response that just became ready usually leaves in a moment.
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
