import { setImmediate as nextTurn } from "node:timers/promises";
import { LRUCache } from "lru-cache";

/** Others get the event loop after this much planning (ms). */
const SLICE_MS = 10;

/** How fast a decision that took long is forgotten, as a part of what it took. */
const DECAY = 0.2;

const MAX_OWNERS = 10_000;

/** Bounds how long the evaluation of rules holds the event loop, and knows how long it takes. */
export class Planning {
  private sliceMs = 0;
  private next: Promise<void> | undefined;
  /** How long the longest of the latest decisions of each organization took to plan (ms). */
  private readonly longest = new LRUCache<string, number>({ max: MAX_OWNERS });

  /**
   * Evaluates one decision of an organization, each step once the event loop is free for it.
   * @param steps return the result
   */
  async run<T>(owner: string, steps: Iterator<unknown, T>): Promise<T> {
    let ms = 0;
    try {
      while (true) {
        while (this.sliceMs >= SLICE_MS) await this.nextSlice();
        const startedAt = performance.now();
        try {
          const step = steps.next();
          if (step.done) return step.value;
        } finally {
          const took = performance.now() - startedAt;
          this.sliceMs += took;
          ms += took;
        }
      }
    } finally {
      this.longest.set(owner, Math.max(ms, (1 - DECAY) * (this.longest.get(owner) ?? 0)));
    }
  }

  /** How long a decision of an organization may take to plan (ms), by the latest ones. */
  expectedOf(owner: string): number {
    return this.longest.get(owner) ?? SLICE_MS;
  }

  private nextSlice(): Promise<void> {
    this.next ??= nextTurn().then(() => {
      this.sliceMs = 0;
      this.next = undefined;
    });
    return this.next;
  }
}
