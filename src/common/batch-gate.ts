import { onceQuiet } from "./once-quiet";

/** Stop waiting for batches that run longer than this (ms). */
const MAX_BATCH_WAIT_MS = 100;

/** Starts the batches of its coalescers together, after the previous ones end, so that batches grow with the load. */
export class BatchGate {
  /** Number of calls that are not yet part of a batch. */
  waitingCalls = 0;
  private received = 0;
  private waiting: (() => void)[] = [];
  private isScheduled = false;
  /** Sequence number of the last round of batches, and the number of its batches that are still running. */
  private round = 0;
  private running = 0;
  private stuckTimer: NodeJS.Timeout | undefined;

  /** @param serial true if each batch waits for the previous batches, regardless of how long they take */
  constructor(private readonly serial = false) {}

  /** Records a call, so that the next batches wait a little for more calls to join. */
  receive(): void {
    this.received += 1;
    this.waitingCalls += 1;
  }

  add(start: () => void): void {
    this.waiting.push(start);
    if (this.running === 0) this.schedule();
  }

  /** Runs a batch of `calls` calls that this gate has started. */
  async run<T>(calls: number, work: () => Promise<T>): Promise<T> {
    const { round } = this;
    this.waitingCalls -= calls;
    this.running += 1;
    try {
      return await work();
    } finally {
      // If the rounds differ, the batch took too long, and the next round has started without it.
      if (round === this.round) {
        this.running -= 1;
        if (this.running === 0) this.schedule();
      }
    }
  }

  /** Waits a tick, so that callers that just got their results can join the next batches. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    onceQuiet(
      () => this.received,
      () => {
        this.isScheduled = false;
        if (this.running === 0) this.start();
      },
    );
  }

  private start(): void {
    const starts = this.waiting;
    if (starts.length === 0) return;
    this.waiting = [];
    this.round += 1;
    if (!this.serial) {
      this.stuckTimer =
        this.stuckTimer?.refresh() ?? setTimeout(() => this.skipStuckBatches(), MAX_BATCH_WAIT_MS).unref();
    }
    for (const start of starts) start();
  }

  private skipStuckBatches(): void {
    if (this.running === 0) return;
    this.round += 1;
    this.running = 0;
    this.start();
  }
}
