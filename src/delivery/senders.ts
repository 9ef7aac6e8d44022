import { AttemptOutcome } from "./driver";

/** The senders that are free, as one transaction sees them; those that it takes count once it is committed. */
export interface FreeSenders {
  /** @returns whether there is a sender for one more message on a line */
  take(lineId: string): boolean;
  /** Gives back a sender that was not needed. */
  giveBack(lineId: string): void;
}

/**
 * The senders of this process, each of which sends one message at a time. A line whose last attempt failed gets only one,
 * so that receivers that do not answer leave the other senders to those that do.
 */
export class Senders {
  private readonly busy = new Map<string, number>();
  private readonly failing = new Set<string>();
  private total = 0;

  constructor(private readonly max: number) {}

  /** How many senders are free. */
  get free(): number {
    return this.max - this.total;
  }

  /** The lines whose last attempt failed: those that have their only sender, and those that may get it. */
  get failingLines(): { busy: string[]; idle: string[] } {
    const lines = [...this.failing];
    return {
      busy: lines.filter((lineId) => this.busy.has(lineId)),
      idle: lines.filter((lineId) => !this.busy.has(lineId)),
    };
  }

  /** The free senders for a transaction; no other may take any before it has ended. */
  offer(): FreeSenders {
    const taken = new Map<string, number>();
    const count = (lineId: string, change: number) => taken.set(lineId, (taken.get(lineId) ?? 0) + change);
    let left = this.free;
    return {
      take: (lineId) => {
        const ofLine = (this.busy.get(lineId) ?? 0) + (taken.get(lineId) ?? 0);
        if (left === 0 || (ofLine > 0 && this.failing.has(lineId))) return false;
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

  /** A sender starts to send on a line. */
  started(lineId: string): void {
    this.total += 1;
    this.busy.set(lineId, (this.busy.get(lineId) ?? 0) + 1);
  }

  /** A sender has ended an attempt on a line. */
  ended(lineId: string, outcome: AttemptOutcome): void {
    this.total -= 1;
    const left = (this.busy.get(lineId) ?? 0) - 1;
    if (left > 0) this.busy.set(lineId, left);
    else this.busy.delete(lineId);
    const isFailing = outcome === AttemptOutcome.retryable || outcome === AttemptOutcome.uncertain;
    if (isFailing) this.failing.add(lineId);
    else this.failing.delete(lineId);
  }
}
