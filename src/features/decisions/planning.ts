import { setImmediate as nextTurn } from "node:timers/promises";
import { LRUCache } from "lru-cache";

/** Others get the event loop after this much planning (ms). */
const SLICE_MS = 10;

/** Max planning in a batch (ms), because others wait for its transaction. */
const MAX_BATCH_MS = 20;

/** Max decisions in a batch, because the first caller waits for the last decision. */
const MAX_BATCH = 64;

/** Weight of the latest decision in the average. */
const WEIGHT = 0.2;

const MAX_OWNERS = 10_000;

/** Bounds how long the evaluation of rules holds the event loop, and how long batches of decisions hold their transaction. */
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

  /** How many decisions of an organization a batch may hold, at least 1. */
  batchSize(owner: string): number {
    const average = this.averages.get(owner) ?? 0;
    return Math.max(1, Math.min(MAX_BATCH, Math.floor(MAX_BATCH_MS / average)));
  }
}
