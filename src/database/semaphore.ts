import { getOrCreate } from "../common/get-or-create";
import { GatewayError } from "../errors";

/** Max permits of an owner whose work may take long: a quarter of all permits stays free for others. */
export const shareOf = (permits: number): number => Math.max(1, permits - Math.ceil(permits / 4));

/**
 * A counting semaphore with timeouts, shared fairly among owners. A free permit goes to the waiting owner with the
 * fewest permits, so that no owner holds more than half while another waits. Owners with equally many permits take
 * turns, and each owner's waiters are served in FIFO order.
 */
export class Semaphore {
  private readonly waiting = new Map<string, Set<() => void>>();
  private readonly held = new Map<string, number>();

  /**
   * @param free number of permits
   * @param maxPerOwner max permits per owner, all by default; the empty owner has no limit; see `shareOf`
   */
  constructor(
    private free: number,
    private readonly maxPerOwner = free,
  ) {}

  /** The number of waiters. */
  get queue(): number {
    return [...this.waiting.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Acquires a permit within a time (ms), or throws `unavailable`; call `release` with the same owner. */
  async acquire(timeoutMs: number, owner = ""): Promise<void> {
    if (this.mayTake(owner)) {
      this.hold(owner, 1);
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
      getOrCreate(this.waiting, owner, () => new Set()).add(resume);
    });
  }

  /** Runs work with a permit, like `acquire`. */
  async run<T>(timeoutMs: number, owner: string, work: () => Promise<T>): Promise<T> {
    await this.acquire(timeoutMs, owner);
    try {
      return await work();
    } finally {
      this.release(owner);
    }
  }

  /** Releases an owner's permit to the next waiter. */
  release(owner = ""): void {
    this.hold(owner, -1);
    const next = this.nextOwner();
    if (next === undefined) return;
    const [owned, own] = next;
    const [resume] = own;
    // Move the owner to the end of the queue.
    this.waiting.delete(owned);
    if (own.size > 1) this.waiting.set(owned, own);
    if (resume === undefined) return;
    own.delete(resume);
    this.hold(owned, 1);
    resume();
  }

  private mayTake(owner: string): boolean {
    return this.free > 0 && (owner === "" || this.heldBy(owner) < this.maxPerOwner);
  }

  private heldBy(owner: string): number {
    return this.held.get(owner) ?? 0;
  }

  private hold(owner: string, change: number): void {
    this.free -= change;
    const held = this.heldBy(owner) + change;
    if (held > 0) this.held.set(owner, held);
    else this.held.delete(owner);
  }

  /** Returns the waiting owner with the fewest permits, among owners below their limit. */
  private nextOwner(): [string, Set<() => void>] | undefined {
    let next: [string, Set<() => void>] | undefined;
    for (const each of this.waiting) {
      const isNext = next === undefined || this.heldBy(each[0]) < this.heldBy(next[0]);
      if (isNext && this.mayTake(each[0])) next = each;
    }
    return next;
  }

  private remove(owner: string, resume: () => void): void {
    const own = this.waiting.get(owner);
    own?.delete(resume);
    if (own?.size === 0) this.waiting.delete(owner);
  }
}
