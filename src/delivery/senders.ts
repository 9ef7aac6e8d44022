import { AttemptOutcome } from "./driver";

/** The senders that are free, as one transaction sees them; those that it takes count once it is committed. */
export interface FreeSenders {
  /**
   * @param options.mayWait whether the message may wait for a sender after the transaction
   * @returns whether there is a sender for one more message on a line
   */
  take(lineId: string, options: { mayWait: boolean }): boolean;
  /** Gives back a sender that was not needed. */
  giveBack(lineId: string): void;
}

/** No sender is free. */
export const NO_SENDERS: FreeSenders = { take: () => false, giveBack: () => undefined };

/** A message that leaves as soon as a sender is free. */
export interface Leaving {
  lineId: string;
  /** Whether it may still leave. */
  mayLeave(): boolean;
  /** Sends it; the caller then reports to `Senders.ended`. */
  send(): void;
  /** Called instead of `send` if it may not leave any more, or its line now gets only one sender. */
  giveBack(): void;
}

/**
 * The senders of this process, each of which sends one message at a time. A line whose last attempt failed gets only one,
 * so that receivers that do not answer leave the other senders to those that do.
 */
export class Senders {
  /** How many messages of each line have a sender or wait for one. */
  private readonly taken = new Map<string, number>();
  private readonly failing = new Set<string>();
  private readonly queue: Leaving[] = [];
  private sending = 0;

  /** @param shares max senders of groups that are no lines, by their names */
  constructor(
    private readonly max: number,
    private readonly shares: ReadonlyMap<string, number> = new Map(),
  ) {}

  /** How many senders are free. */
  get free(): number {
    return this.max - this.sending - this.queue.length;
  }

  /** The lines that have all the senders they may get, and those that may get only one because their last attempt failed. */
  get failingLines(): { busy: string[]; idle: string[] } {
    return {
      busy: [...this.taken].flatMap(([lineId, taken]) => (taken >= this.maxOf(lineId) ? [lineId] : [])),
      idle: [...this.failing].filter((lineId) => !this.taken.has(lineId)),
    };
  }

  /**
   * The free senders for a transaction; no other may take any before it has ended.
   * @param soonFree how many more messages it may take, because senders become free while it commits
   */
  offer(soonFree = 0): FreeSenders {
    const taken = new Map<string, number>();
    const count = (lineId: string, change: number) => taken.set(lineId, (taken.get(lineId) ?? 0) + change);
    let left = this.free + soonFree;
    return {
      take: (lineId, { mayWait }) => {
        const ofLine = (this.taken.get(lineId) ?? 0) + (taken.get(lineId) ?? 0);
        if (left <= (mayWait ? 0 : soonFree) || ofLine >= this.maxOf(lineId)) return false;
        left -= 1;
        count(lineId, 1);
        return true;
      },
      giveBack: (lineId) => {
        left += 1;
        count(lineId, -1);
      },
    };
  }

  /** Sends a message as soon as a sender is free, after those that already wait. */
  leave(message: Leaving): void {
    this.count(message.lineId, 1);
    this.queue.push(message);
    this.sendNext();
  }

  /** A sender has ended an attempt on a line. */
  ended(lineId: string, outcome: AttemptOutcome): void {
    this.sending -= 1;
    this.count(lineId, -1);
    const isFailing = outcome === AttemptOutcome.retryable || outcome === AttemptOutcome.uncertain;
    if (isFailing) this.failing.add(lineId);
    else this.failing.delete(lineId);
    this.sendNext();
  }

  private sendNext(): void {
    while (this.sending < this.max) {
      const next = this.queue.shift();
      if (next === undefined) return;
      const { lineId } = next;
      const isTooMany = this.failing.has(lineId) && (this.taken.get(lineId) ?? 0) > 1;
      if (isTooMany || !next.mayLeave()) {
        this.count(lineId, -1);
        next.giveBack();
      } else {
        this.sending += 1;
        next.send();
      }
    }
  }

  private count(lineId: string, change: number): void {
    const left = (this.taken.get(lineId) ?? 0) + change;
    if (left > 0) this.taken.set(lineId, left);
    else this.taken.delete(lineId);
  }

  private maxOf(lineId: string): number {
    return this.failing.has(lineId) ? 1 : (this.shares.get(lineId) ?? Number.POSITIVE_INFINITY);
  }
}
