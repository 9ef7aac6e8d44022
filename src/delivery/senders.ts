import { AttemptOutcome } from "./driver";

/** The senders that are free, as one transaction sees them; those that it takes count once it is committed. */
export interface FreeSenders {
  /**
   * @param options.mayWait whether the message may wait for a sender after the transaction
   * @param options.kind the kind of the lane, if its kind has a share
   * @returns whether there is a sender for one more message on a line
   */
  take(lineId: string, options: { mayWait: boolean; kind?: string }): boolean;
  /** Gives back a sender that was not needed. */
  giveBack(lineId: string): void;
}

/** No sender is free. */
export const NO_SENDERS: FreeSenders = { take: () => false, giveBack: () => undefined };

/** A message that leaves as soon as a sender is free. */
export interface Leaving {
  lineId: string;
  /** The kind of its lane, if its kind has a share. */
  kind?: string;
  /** Whether it may still leave. */
  mayLeave(): boolean;
  /** Sends it; the caller then reports to `Senders.ended`. */
  send(): void;
  /** Called instead of `send` if it may not leave any more, or its line now gets only one sender. */
  giveBack(): void;
}

/** How many senders a kind of lane may get, so that others keep some. */
export interface KindShare {
  /** All lanes of the kind together. */
  together: number;
  /** The lanes of one group. */
  each: number;
}

/** A group that has senders, or waits for some. */
interface Taken {
  count: number;
  kind: string | undefined;
}

/**
 * The senders of this process, each of which sends one message at a time. A line whose last attempt failed gets only one,
 * so that receivers that do not answer leave the other senders to those that do.
 */
export class Senders {
  /** How many messages of each line have a sender or wait for one. */
  private readonly taken = new Map<string, Taken>();
  private readonly failing = new Set<string>();
  private readonly queue: Leaving[] = [];
  private sending = 0;

  /**
   * @param shares max senders of groups that are no lines, by their names
   * @param kindShares max senders of kinds of lane
   */
  constructor(
    private readonly max: number,
    private readonly shares: ReadonlyMap<string, number> = new Map(),
    private readonly kindShares: ReadonlyMap<string, KindShare> = new Map(),
  ) {}

  /** How many senders are free. */
  get free(): number {
    return this.max - this.sending - this.queue.length;
  }

  /** The lines that have all the senders they may get, and those that may get only one because their last attempt failed. */
  get failingLines(): { busy: string[]; idle: string[] } {
    return {
      busy: [...this.taken].flatMap(([lineId, { count, kind }]) =>
        count >= this.maxOf(lineId, kind) ? [lineId] : [],
      ),
      idle: [...this.failing].filter((lineId) => !this.taken.has(lineId)),
    };
  }

  /** The kinds of lane that have all the senders they may get. */
  get busyKinds(): string[] {
    return [...this.kindShares].flatMap(([kind, { together }]) =>
      this.takenBy(kind) >= together ? [kind] : [],
    );
  }

  /**
   * The free senders for a transaction; no other may take any before it has ended.
   * @param soonFree how many more messages it may take, because senders become free while it commits
   */
  offer(soonFree = 0): FreeSenders {
    const ofLines = new Map<string, number>();
    const ofKinds = new Map<string, number>();
    const add = (counts: Map<string, number>, key: string, change: number) =>
      counts.set(key, (counts.get(key) ?? 0) + change);
    let left = this.free + soonFree;
    return {
      take: (lineId, { mayWait, kind }) => {
        const ofLine = (this.taken.get(lineId)?.count ?? 0) + (ofLines.get(lineId) ?? 0);
        if (left <= (mayWait ? 0 : soonFree) || ofLine >= this.maxOf(lineId, kind)) return false;
        if (kind !== undefined) {
          const ofKind = this.takenBy(kind) + (ofKinds.get(kind) ?? 0);
          if (ofKind >= (this.kindShares.get(kind)?.together ?? Number.POSITIVE_INFINITY)) return false;
          add(ofKinds, kind, 1);
        }
        left -= 1;
        add(ofLines, lineId, 1);
        return true;
      },
      giveBack: (lineId) => {
        left += 1;
        add(ofLines, lineId, -1);
      },
    };
  }

  /** Sends a message as soon as a sender is free, after those that already wait. */
  leave(message: Leaving): void {
    this.count(message.lineId, 1, message.kind);
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
      const isTooMany = this.failing.has(lineId) && (this.taken.get(lineId)?.count ?? 0) > 1;
      if (isTooMany || !next.mayLeave()) {
        this.count(lineId, -1);
        next.giveBack();
      } else {
        this.sending += 1;
        next.send();
      }
    }
  }

  private count(lineId: string, change: number, kind?: string): void {
    const before = this.taken.get(lineId);
    const count = (before?.count ?? 0) + change;
    if (count > 0) this.taken.set(lineId, { count, kind: before?.kind ?? kind });
    else this.taken.delete(lineId);
  }

  private takenBy(kind: string): number {
    let all = 0;
    for (const taken of this.taken.values()) if (taken.kind === kind) all += taken.count;
    return all;
  }

  private maxOf(lineId: string, kind?: string): number {
    if (this.failing.has(lineId)) return 1;
    return (
      this.shares.get(lineId) ??
      (kind === undefined ? undefined : this.kindShares.get(kind)?.each) ??
      Number.POSITIVE_INFINITY
    );
  }
}
