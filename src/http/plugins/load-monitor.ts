import { shareOf } from "../../database/semaphore";

/** A request in flight for longer than this (ms) is late. */
const LATE_MS = 500;

/** Fraction of the max requests that may be late; even without overload, some wait for a lock or a hash. */
const LATE_SHARE = 0.25;

/** Fraction of the max late requests that one owner can account for, so that it cannot cause shedding for others. */
const OWNER_SHARE = 0.5;

/** Resolution of request ages (ms). */
const SLOT_MS = 100;

/** Number of slots for requests that are not yet late. */
const SLOTS = LATE_MS / SLOT_MS + 1;

/** A request counted as load. */
export interface Load {
  /** The organization that the request counts toward, or the network while the caller is unknown. */
  owner: string;
  /** The slot when the request started; undefined once it is answered, because it can no longer be late. */
  slot: number | undefined;
}

/**
 * Detects overload from the number and age of in-flight requests: the max number of requests bounds memory
 * and burst length, and the max number of late requests detects slow work. An owner can use at most three
 * quarters of the max requests, and its late requests count for at most half of the max late requests.
 */
export class LoadMonitor {
  /** Counts of requests that are not yet late, by start slot and owner. */
  private readonly started = Array.from({ length: SLOTS }, () => new Map<string, number>());
  /** The oldest slot whose requests are not yet late. */
  private first = 0;
  private readonly lateOf = new Map<string, number>();
  /** Number of late requests, counting each owner's requests only up to its share. */
  private late = 0;
  private readonly inFlightOf = new Map<string, number>();
  private inFlight = 0;
  private readonly maxOfOwner: number;
  private readonly maxLate: number;
  private readonly maxLateOfOwner: number;

  /** @param now a monotonic clock (ms) */
  constructor(
    private readonly max: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.maxOfOwner = shareOf(max);
    this.maxLate = Math.ceil(max * LATE_SHARE);
    this.maxLateOfOwner = Math.ceil(this.maxLate * OWNER_SHARE);
  }

  get isOverloaded(): boolean {
    if (this.inFlight >= this.max) return true;
    if (this.inFlight < this.maxLate) return false;
    this.advance();
    return this.late >= this.maxLate;
  }

  /** True if an owner's new requests are shed: its share is used up, or it alone has the max of late requests. */
  isOverloadedBy(owner: string): boolean {
    if ((this.inFlightOf.get(owner) ?? 0) >= this.maxOfOwner) return true;
    this.advance();
    return (this.lateOf.get(owner) ?? 0) >= this.maxLate;
  }

  /** Records the start of a request; pass the result to `end`. */
  begin(owner: string): Load {
    const slot = this.advance();
    this.count(slot, owner, 1);
    this.countInFlight(owner, 1);
    return { owner, slot };
  }

  /** Sets the owner that a request counts toward. */
  assign(load: Load, owner: string): void {
    if (load.slot !== undefined) {
      this.count(load.slot, load.owner, -1);
      this.count(load.slot, owner, 1);
    }
    this.countInFlight(load.owner, -1);
    this.countInFlight(owner, 1);
    load.owner = owner;
  }

  /** Records the answer: the request is in flight until the client has read it, but no longer counts as late. */
  answer(load: Load): void {
    if (load.slot !== undefined) this.count(load.slot, load.owner, -1);
    load.slot = undefined;
  }

  end(load: Load): void {
    this.answer(load);
    this.countInFlight(load.owner, -1);
  }

  private countInFlight(owner: string, change: number): void {
    this.inFlight += change;
    add(this.inFlightOf, owner, change);
  }

  private count(slot: number, owner: string, change: number): void {
    const started = this.started[slot % SLOTS];
    if (slot < this.first) this.countLate(owner, change);
    else if (started !== undefined) add(started, owner, change);
  }

  private countLate(owner: string, change: number): void {
    const after = add(this.lateOf, owner, change);
    this.late += Math.min(after, this.maxLateOfOwner) - Math.min(after - change, this.maxLateOfOwner);
  }

  /** Counts requests in expired slots as late, and returns the current slot. */
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

/** Adds to a count, and returns the new count. */
function add(counts: Map<string, number>, key: string, change: number): number {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
  return count;
}
