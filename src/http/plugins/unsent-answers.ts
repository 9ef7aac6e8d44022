import type { Socket } from "node:net";

/** How often to look for clients that do not read (ms). */
const SWEEP_INTERVAL_MS = 1_000;

/** Memory for answers that wait for their clients (bytes). */
const MAX_UNSENT_BYTES = 64 * 1_048_576;

/** An answer that is ready and has not left. */
interface Unsent {
  socket: Socket;
  bytes: number;
  since: number;
}

/**
 * Answers that wait for their clients to read. A connection is closed when an answer has waited too long, and, longest
 * wait first, while there are too many of them or they take too much memory.
 */
export class UnsentAnswers<Id extends object> {
  /** In the order in which they became ready. */
  private readonly answers = new Map<Id, Unsent>();
  private bytes = 0;
  private readonly timer: NodeJS.Timeout;

  /**
   * @param most answers that may wait longer than a moment
   * @param timeoutMs how long one may wait
   * @param now in ms, never going back
   */
  constructor(
    private readonly most: number,
    private readonly timeoutMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.timer = setInterval(() => this.sweep(), SWEEP_INTERVAL_MS).unref();
  }

  get count(): number {
    return this.answers.size;
  }

  add(id: Id, socket: Socket, bytes: number): void {
    this.answers.set(id, { socket, bytes, since: this.now() });
    this.bytes += bytes;
  }

  /** The answer has left, or its connection is gone. */
  delete(id: Id): void {
    this.bytes -= this.answers.get(id)?.bytes ?? 0;
    this.answers.delete(id);
  }

  /** Closes connections; their answers are deleted when that has happened. */
  sweep(): void {
    let { count, bytes } = this;
    for (const answer of this.answers.values()) {
      const waited = this.now() - answer.since;
      // What became ready just now leaves in a moment.
      if (waited < SWEEP_INTERVAL_MS) return;
      if (waited < this.timeoutMs && count <= this.most && bytes <= MAX_UNSENT_BYTES) return;
      answer.socket.destroy();
      count--;
      bytes -= answer.bytes;
    }
  }

  close(): void {
    clearInterval(this.timer);
  }
}
