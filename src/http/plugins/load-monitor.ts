/** A request that has been under way for longer than this (ms) is late. */
const LATE_MS = 500;

/** Which part of the most requests may be late: some wait for a lock, or for a password to be hashed. */
const LATE_SHARE = 0.25;

/** How fine the ages of requests are told apart (ms). */
const SLOT_MS = 100;

/** Slots of requests that are not late yet. */
const SLOTS = LATE_MS / SLOT_MS + 1;

/**
 * How many requests are under way and since when. There is too much to do when there are very many, or when many of
 * them are late: the first bounds memory and the time of a burst, the second notices work that is slow.
 */
export class LoadMonitor {
  /** By the slot of time in which they began: those that are not late. */
  private readonly begun = new Array<number>(SLOTS).fill(0);
  /** The first slot whose requests are not late. */
  private first = 0;
  private late = 0;
  private underWay = 0;
  private readonly mostLate: number;

  /**
   * @param most requests under way at a time
   * @param unsent how many answers wait for their clients
   * @param now in ms, never going back
   */
  constructor(
    private readonly most: number,
    private readonly unsent: () => number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.mostLate = Math.ceil(most * LATE_SHARE);
  }

  /** Whether there is so much to do that another request would only make it worse. */
  get isOverloaded(): boolean {
    if (this.underWay + this.unsent() >= this.most) return true;
    if (this.underWay < this.mostLate) return false;
    this.goOn();
    return this.late >= this.mostLate;
  }

  /** A request begins. @returns what `end` takes */
  begin(): number {
    const slot = this.goOn();
    this.begun[slot % SLOTS] = (this.begun[slot % SLOTS] ?? 0) + 1;
    this.underWay++;
    return slot;
  }

  /** A request ends. @param slot as `begin` gave it */
  end(slot: number): void {
    this.underWay--;
    if (slot < this.first) this.late--;
    else this.begun[slot % SLOTS] = (this.begun[slot % SLOTS] ?? 0) - 1;
  }

  /** Counts those as late that have become it. @returns the slot of time that is now */
  private goOn(): number {
    const slot = Math.floor(this.now() / SLOT_MS);
    const first = slot - SLOTS + 1;
    for (let i = this.first; i < first && i < this.first + SLOTS; i++) {
      this.late += this.begun[i % SLOTS] ?? 0;
      this.begun[i % SLOTS] = 0;
    }
    if (first > this.first) this.first = first;
    return slot;
  }
}
