/** A request in flight for longer than this (ms) is late. */
const LATE_MS = 500;

/** Fraction of the max requests that may be late, because some wait for a lock or a password hash. */
const LATE_SHARE = 0.25;

/** Fraction of the max late requests that count for one owner, so that it cannot shed the requests of others. */
const OWNER_SHARE = 0.5;

/** The owner of requests whose caller is unknown, all of which count. */
const UNKNOWN = "";

/** Resolution of the ages of requests (ms). */
const SLOT_MS = 100;

/** Number of slots for requests that are not late yet. */
const SLOTS = LATE_MS / SLOT_MS + 1;

/**
 * Detects overload from the number and the ages of in-flight requests: the max number bounds memory and the length of a
 * burst, and the max number of late requests detects slow work. Of these, one owner's make up half at most.
 */
export class LoadMonitor {
  /** Counts of requests that are not late, by the time slot in which they began and by owner. */
  private readonly started = Array.from({ length: SLOTS }, () => new Map<string, number>());
  /** The oldest slot whose requests are not late. */
  private first = 0;
  private readonly lateOf = new Map<string, number>();
  /** The late requests of all owners, each up to its share. */
  private late = 0;
  private inFlight = 0;
  private readonly maxLate: number;
  private readonly maxLateOfOwner: number;

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
    this.maxLateOfOwner = Math.ceil(this.maxLate * OWNER_SHARE);
  }

  /** Whether to shed new requests. */
  get isOverloaded(): boolean {
    if (this.inFlight + this.unsent() >= this.max) return true;
    if (this.inFlight < this.maxLate) return false;
    this.advance();
    return this.late >= this.maxLate;
  }

  /** Whether to shed the new requests of one owner, because its own late requests are as many as all may be. */
  isOverloadedBy(owner: string): boolean {
    this.advance();
    return (this.lateOf.get(owner) ?? 0) >= this.maxLate;
  }

  /**
   * Records the start of a request.
   * @param owner who the request is for, if that is known
   * @returns the slot to pass to `end`
   */
  begin(owner = UNKNOWN): number {
    const slot = this.advance();
    this.count(slot, owner, 1);
    this.inFlight++;
    return slot;
  }

  /**
   * Records who a request is for that began without an owner.
   * @param slot the result of `begin`
   */
  assign(slot: number, owner: string): void {
    this.count(slot, UNKNOWN, -1);
    this.count(slot, owner, 1);
  }

  /**
   * Records the end of a request.
   * @param slot the result of `begin`
   * @param owner the one given to `begin` or `assign`
   */
  end(slot: number, owner = UNKNOWN): void {
    this.inFlight--;
    this.count(slot, owner, -1);
  }

  private count(slot: number, owner: string, change: number): void {
    const started = this.started[slot % SLOTS];
    if (slot < this.first) this.countLate(owner, change);
    else started?.set(owner, (started.get(owner) ?? 0) + change);
  }

  private countLate(owner: string, change: number): void {
    const before = this.lateOf.get(owner) ?? 0;
    const after = before + change;
    if (after > 0) this.lateOf.set(owner, after);
    else this.lateOf.delete(owner);
    const max = owner === UNKNOWN ? Number.POSITIVE_INFINITY : this.maxLateOfOwner;
    this.late += Math.min(after, max) - Math.min(before, max);
  }

  /**
   * Counts requests in expired slots as late.
   * @returns the current slot
   */
  private advance(): number {
    const slot = Math.floor(this.now() / SLOT_MS);
    const first = slot - SLOTS + 1;
    for (let i = this.first; i < first && i < this.first + SLOTS; i++) {
      const started = this.started[i % SLOTS];
      started?.forEach((count, owner) => {
        this.countLate(owner, count);
      });
      started?.clear();
    }
    if (first > this.first) this.first = first;
    return slot;
  }
}
