import { setImmediate as nextTurn } from "node:timers/promises";
import { LRUCache } from "lru-cache";

/** Others get the event loop after this much planning (ms). */
const SLICE_MS = 10;

/** Weight of the latest decision in the average. */
const WEIGHT = 0.2;

const MAX_OWNERS = 10_000;

/** Bounds how long the evaluation of rules holds the event loop, and knows how long it takes. */
export class Planning {
  private sliceMs = 0;
  private next: Promise<void> | undefined;
  /** How long the decisions of each organization took to plan (ms), on average. */
  private readonly averages = new LRUCache<string, number>({ max: MAX_OWNERS });

  /** Evaluates one decision of an organization, once the event loop is free for it. */
  async run<T>(owner: string, work: () => T): Promise<T> {
    while (this.sliceMs >= SLICE_MS) {
      this.next ??= nextTurn().then(() => {
        this.sliceMs = 0;
        this.next = undefined;
      });
      await this.next;
    }
    const startedAt = performance.now();
    try {
      return work();
    } finally {
      const ms = performance.now() - startedAt;
      this.sliceMs += ms;
      this.averages.set(owner, (1 - WEIGHT) * (this.averages.get(owner) ?? ms) + WEIGHT * ms);
    }
  }

  /** How long a decision of an organization takes to plan (ms), on average. */
  averageOf(owner: string): number {
    return this.averages.get(owner) ?? 0;
  }
}
