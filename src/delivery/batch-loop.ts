import { type Timestamp, timestamp } from "../common/time";

/** Max lanes per batch, to limit how long other lanes wait for its commit. */
export const BATCH = 100;

/** Min time between batches that are not full (ms), so that concurrent requests can share a batch. */
const PAUSE_MS = 50;

/** Interval between checks for due work that was never announced (ms), for example because a process was killed. */
const SWEEP_INTERVAL_MS = 5_000;

interface Batches {
  /** Returns the time when work is next due; undefined if there is none. */
  nextDue(): Promise<Timestamp | undefined>;
  /** True if sends have finished since the last batch. */
  hasResults(): boolean;
  /** @returns the number of lanes in the batch, and how many of them were not held back */
  doBatch(): Promise<{ lanes: number; done: number }>;
  /** Called when a batch fails; the next batch retries its work. */
  onError: (error: unknown) => void;
}

/** Runs one batch after another while work is due. */
export class BatchLoop {
  private running: Promise<void> | undefined;
  private isDue = false;
  private stopped = false;
  private endPause = () => {};
  /** Time when the alarm goes off, on the clock of `Date.now` (ms). */
  private alarmAt = Number.POSITIVE_INFINITY;
  private alarm: NodeJS.Timeout | undefined;
  /** True if the alarm has gone off since the last batch. */
  private hasAlarm = false;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly batches: Batches) {
    this.timer = setInterval(() => this.wake(), SWEEP_INTERVAL_MS).unref();
    this.wake();
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  /** Ends the loop after the current batch. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    clearTimeout(this.alarm);
    this.endPause();
    await this.running;
  }

  /** Runs a batch soon, because work is due. */
  wake(): void {
    if (this.stopped) return;
    this.isDue = true;
    this.running ??= this.drain()
      .catch(this.batches.onError)
      .finally(() => {
        this.running = undefined;
        // Checks again, because work may have been announced since the last check.
        if (this.isDue) this.wake();
      });
  }

  /** Runs a batch without a pause, because a send has finished. */
  wakeAtOnce(): void {
    this.endPause();
    this.wake();
  }

  /** Runs a batch when work becomes due. */
  wakeAt(due: Timestamp): void {
    const at = Date.parse(due);
    // No alarm is needed if an earlier alarm or a check comes first.
    if (at >= this.alarmAt || at - Date.now() >= SWEEP_INTERVAL_MS || this.stopped) return;
    clearTimeout(this.alarm);
    this.alarmAt = at;
    const ring = () => {
      this.alarmAt = Number.POSITIVE_INFINITY;
      this.hasAlarm = true;
      this.wake();
    };
    this.alarm = setTimeout(ring, at - Date.now()).unref();
  }

  private async drain(): Promise<void> {
    while (this.isDue && !this.stopped) {
      this.isDue = false;
      const { hasAlarm } = this;
      this.hasAlarm = false;
      // Reads first, so that a check that finds no work takes no write lock.
      const due = hasAlarm || this.batches.hasResults() ? timestamp() : await this.batches.nextDue();
      if (due === undefined) continue;
      if (Date.parse(due) > Date.now()) this.wakeAt(due);
      else if (await this.doBatches()) await this.pause();
      // The alarm may have gone off early, or its work may no longer exist.
      else this.isDue ||= hasAlarm;
    }
  }

  /** @returns true if the last batch contained lanes */
  private async doBatches(): Promise<boolean> {
    for (;;) {
      const { lanes, done } = await this.batches.doBatch();
      if (done < BATCH || this.stopped) {
        // If the batch contained lanes, more work may be due, so another batch follows.
        this.isDue ||= lanes > 0;
        return lanes > 0;
      }
    }
  }

  /** Waits for more work that can share a batch, unless sends have finished: their conversations are waiting. */
  private pause(): Promise<void> {
    if (this.batches.hasResults()) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PAUSE_MS);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
