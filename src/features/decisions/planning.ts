import { setImmediate as nextTurn } from "node:timers/promises";
import { lruCache } from "../../common/lru-cache";

/** Yield to the event loop after this much planning (ms). */
const SLICE_MS = 10;

/** The recorded planning time decays by this fraction with each decision. */
const DECAY = 0.2;

const MAX_OWNERS = 10_000;

/** Max decisions per batch, because the first caller has to wait for the last decision. */
const MAX_BATCH = 64;

/** Max planning time per batch (ms). Other batches have to wait for the batch's transaction. */
const MAX_BATCH_MS = 20;

/** Limits how long rule evaluation blocks the event loop, and records how long it takes. */
export class Planning {
  private sliceMs = 0;
  private next: Promise<void> | undefined;
  /** The longest recent planning time of a decision, by organization (ms). */
  private readonly longest = lruCache<string, number>(MAX_OWNERS);

  /** Evaluates one of an organization's decisions, yielding to the event loop between steps. */
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

  /** Composes batches of decisions according to each organization's expected planning time. */
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
