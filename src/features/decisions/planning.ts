import { setImmediate as nextTurn } from "node:timers/promises";
import { LRUCache } from "lru-cache";

/** Others get the event loop after this much planning (ms). */
const SLICE_MS = 10;

/** How fast a decision that took long is forgotten, as a part of what it took. */
const DECAY = 0.2;

const MAX_OWNERS = 10_000;

/** Max decisions of a batch, because the first caller waits for the last decision. */
const MAX_BATCH = 64;

/** Max planning in a batch (ms), because others wait for its transaction. */
const MAX_BATCH_MS = 20;

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

  /**
   * The composition of batches of decisions, by how long those of an organization may take to plan.
   * @param ownerOf returns the ID of the organization of a decision
   */
  batchesBy<Row>(ownerOf: (row: Row) => string) {
    const costOf = (row: Row) => this.longest.get(ownerOf(row)) ?? SLICE_MS;
    return { ownerOf, costOf, maxCost: MAX_BATCH_MS, maxRows: MAX_BATCH };
  }

  private nextSlice(): Promise<void> {
    this.next ??= nextTurn().then(() => {
      this.sliceMs = 0;
      this.next = undefined;
    });
    return this.next;
  }
}
