import { GatewayError } from "../errors";

/**
 * A counting semaphore with timeouts. Waiters queue round-robin by owner and first-in first-out within an owner, so
 * that a busy owner does not starve the others.
 */
export class Semaphore {
  private readonly waiting = new Map<string, Set<() => void>>();

  /** @param free the number of permits */
  constructor(private free: number) {}

  /** The number of waiters. */
  get queue(): number {
    return [...this.waiting.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Acquires a permit, to be released by `release`.
   * @param timeoutMs how long to wait (ms)
   * @param owner the fair-queueing key
   * @throws GatewayError `unavailable` on timeout
   */
  async acquire(timeoutMs: number, owner = ""): Promise<void> {
    if (this.free > 0) {
      this.free--;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const resume = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.remove(owner, resume);
        reject(
          new GatewayError("unavailable", undefined, {
            cause: new Error("timed out waiting for a connection"),
          }),
        );
      }, timeoutMs);
      const own = this.waiting.get(owner) ?? new Set();
      this.waiting.set(owner, own.add(resume));
    });
  }

  /** Releases a permit, which goes to the next waiter. */
  release(): void {
    const [first] = this.waiting;
    if (first === undefined) {
      this.free++;
      return;
    }
    const [owner, own] = first;
    const [next] = own;
    // Move the owner to the end of the queue.
    this.waiting.delete(owner);
    if (own.size > 1) this.waiting.set(owner, own);
    if (next !== undefined) own.delete(next);
    next?.();
  }

  private remove(owner: string, resume: () => void): void {
    const own = this.waiting.get(owner);
    own?.delete(resume);
    if (own?.size === 0) this.waiting.delete(owner);
  }
}
