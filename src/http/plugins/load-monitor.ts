/** A request in flight for longer than this (ms) is late. */
const LATE_MS = 500;

/** Fraction of the max requests that may be late, because some wait for a lock or a password hash. */
const LATE_SHARE = 0.25;

/** Resolution of the ages of requests (ms). */
const SLOT_MS = 100;

/** Number of slots for requests that are not late yet. */
const SLOTS = LATE_MS / SLOT_MS + 1;

/**
 * Detects overload from the number and the ages of in-flight requests: the max number bounds memory and the length of a
 * burst, and the max number of late requests detects slow work.
 */
export class LoadMonitor {
  /** Counts of requests that are not late, by the time slot in which they began. */
  private readonly started = new Array<number>(SLOTS).fill(0);
  /** The oldest slot whose requests are not late. */
  private first = 0;
  private late = 0;
  private inFlight = 0;
  private readonly maxLate: number;

  /**
   * @param max max requests in flight
   * @param unsent returns the number of responses that wait for their clients
   * @param now a monotonic clock (ms)
   */
  constructor(
    private readonly max: number,
    private readonly unsent: () => number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.maxLate = Math.ceil(max * LATE_SHARE);
  }

  /** Whether to shed new requests. */
  get isOverloaded(): boolean {
    if (this.inFlight + this.unsent() >= this.max) return true;
    if (this.inFlight < this.maxLate) return false;
    this.advance();
    return this.late >= this.maxLate;
  }

  /**
   * Records the start of a request.
   * @returns the slot to pass to `end`
   */
  begin(): number {
    const slot = this.advance();
    this.started[slot % SLOTS] = (this.started[slot % SLOTS] ?? 0) + 1;
    this.inFlight++;
    return slot;
  }

  /**
   * Records the end of a request.
   * @param slot the result of `begin`
   */
  end(slot: number): void {
    this.inFlight--;
    if (slot < this.first) this.late--;
    else this.started[slot % SLOTS] = (this.started[slot % SLOTS] ?? 0) - 1;
  }

  /**
   * Counts requests in expired slots as late.
   * @returns the current slot
   */
  private advance(): number {
    const slot = Math.floor(this.now() / SLOT_MS);
    const first = slot - SLOTS + 1;
    for (let i = this.first; i < first && i < this.first + SLOTS; i++) {
      this.late += this.started[i % SLOTS] ?? 0;
      this.started[i % SLOTS] = 0;
    }
    if (first > this.first) this.first = first;
    return slot;
  }
}
