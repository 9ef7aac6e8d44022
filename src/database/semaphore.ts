import { GatewayError } from "../errors";

/**
 * Lets so many do a thing at a time. The others wait, but not for ever: in turn by owner, so that one who asks for much
 * keeps no other waiting, and of each owner in the order in which they came.
 */
export class Semaphore {
  private readonly waiting = new Map<string, Set<() => void>>();

  /** @param free how many at a time */
  constructor(private free: number) {}

  /** How many wait. */
  get queue(): number {
    return [...this.waiting.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Waits for a turn, which lasts until `end`.
   * @param owner for whom it is
   * @throws GatewayError `unavailable` when none comes in time (ms)
   */
  async begin(withinMs: number, owner = ""): Promise<void> {
    if (this.free > 0) {
      this.free--;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.remove(owner, begin);
        reject(new GatewayError("unavailable", undefined, { cause: new Error("no turn came in time") }));
      }, withinMs);
      const own = this.waiting.get(owner) ?? new Set();
      this.waiting.set(owner, own.add(begin));
    });
  }

  /** Ends a turn: the next begins. */
  end(): void {
    const [first] = this.waiting;
    if (first === undefined) {
      this.free++;
      return;
    }
    const [owner, own] = first;
    const [next] = own;
    // To the end of the row of owners.
    this.waiting.delete(owner);
    if (own.size > 1) this.waiting.set(owner, own);
    if (next !== undefined) own.delete(next);
    next?.();
  }

  private remove(owner: string, begin: () => void): void {
    const own = this.waiting.get(owner);
    own?.delete(begin);
    if (own?.size === 0) this.waiting.delete(owner);
  }
}
