import { AttemptOutcome } from "./driver";

/** The senders that are free, as one transaction sees them; those that it takes count once it is committed. */
export interface FreeSenders {
  /**
   * @param options.mayWait whether the message may wait for a sender after the transaction
   * @param options.kind the kind of the lane, if its kind has a share
   * @param options.isFailing whether the last attempt on the line is known to have failed, maybe in another process
   * @returns whether there is a sender for one more message on a line
   */
  take(lineId: string, options: { mayWait: boolean; kind?: string; isFailing?: boolean }): boolean;
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

/** How many of some senders groups may get whose last attempt failed, all together: half of them. */
const shareOfFailing = (senders: number): number => Math.ceil(senders / 2);

/** How many messages of each group have a sender or wait for one. */
class Taken {
  private readonly groups: Map<string, { count: number; kind: string | undefined }>;

  constructor(from?: Taken) {
    this.groups = new Map(from?.groups);
  }

  get ids(): string[] {
    return [...this.groups.keys()];
  }

  of(id: string): number {
    return this.groups.get(id)?.count ?? 0;
  }

  kindOf(id: string): string | undefined {
    return this.groups.get(id)?.kind;
  }

  /** @returns the number for all groups that pass a test */
  sum(passes: (id: string, kind: string | undefined) => boolean): number {
    let sum = 0;
    for (const [id, { count, kind }] of this.groups) if (passes(id, kind)) sum += count;
    return sum;
  }

  add(id: string, change: number, kind = this.kindOf(id)): void {
    const count = this.of(id) + change;
    if (count > 0) this.groups.set(id, { count, kind });
    else this.groups.delete(id);
  }
}

/**
 * The senders of this process, each of which sends one message at a time. A line whose last attempt failed gets only one,
 * and all such lines together get half of the senders, so that receivers that do not answer leave the others to those
 * that do.
 */
export class Senders {
  private readonly taken = new Taken();
  /** The lines whose last attempt failed, with the kinds of their lanes. */
  private readonly failing = new Map<string, string | undefined>();
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

  /** The lines that may get no more senders, and those that may get only one because their last attempt failed. */
  get failingLines(): { busy: string[]; idle: string[] } {
    const mayTake = (id: string) =>
      this.mayTake(this.taken, id, this.taken.kindOf(id) ?? this.failing.get(id));
    const known = [...new Set([...this.taken.ids, ...this.failing.keys()])];
    return {
      busy: known.filter((id) => !mayTake(id)),
      idle: [...this.failing.keys()].filter(mayTake),
    };
  }

  /** The kinds of lane that have all the senders they may get. */
  get busyKinds(): string[] {
    return [...this.kindShares.keys()].filter((kind) => this.isBusy(this.taken, kind));
  }

  /**
   * The free senders for a transaction; no other may take any before it has ended.
   * @param soonFree how many more messages it may take, because senders become free while it commits
   */
  offer(soonFree = 0): FreeSenders {
    const taken = new Taken(this.taken);
    let left = this.free + soonFree;
    return {
      take: (lineId, { mayWait, kind, isFailing = false }) => {
        if (isFailing) this.failing.set(lineId, kind);
        if (left <= (mayWait ? 0 : soonFree) || !this.mayTake(taken, lineId, kind)) return false;
        left -= 1;
        taken.add(lineId, 1, kind);
        return true;
      },
      giveBack: (lineId) => {
        left += 1;
        taken.add(lineId, -1);
      },
    };
  }

  /** Sends a message as soon as a sender is free, after those that already wait. */
  leave(message: Leaving): void {
    this.taken.add(message.lineId, 1, message.kind);
    this.queue.push(message);
    this.sendNext();
  }

  /** A sender has ended an attempt on a line. */
  ended(lineId: string, outcome: AttemptOutcome): void {
    this.sending -= 1;
    const isFailing = outcome === AttemptOutcome.retryable || outcome === AttemptOutcome.uncertain;
    if (isFailing) this.failing.set(lineId, this.taken.kindOf(lineId));
    else this.failing.delete(lineId);
    this.taken.add(lineId, -1);
    this.sendNext();
  }

  private sendNext(): void {
    while (this.sending < this.max) {
      const next = this.queue.shift();
      if (next === undefined) return;
      const { lineId, kind } = next;
      this.taken.add(lineId, -1);
      const isTooMany = this.failing.has(lineId) && !this.mayTake(this.taken, lineId, kind);
      if (isTooMany || !next.mayLeave()) next.giveBack();
      else {
        this.taken.add(lineId, 1, kind);
        this.sending += 1;
        next.send();
      }
    }
  }

  /** Whether a group may get one more sender, besides those that are taken. */
  private mayTake(taken: Taken, id: string, kind: string | undefined): boolean {
    if (taken.of(id) >= this.maxOf(id, kind) || this.isBusy(taken, kind)) return false;
    if (!this.failing.has(id)) return true;
    const share = kind === undefined ? undefined : this.kindShares.get(kind)?.together;
    return (
      taken.sum((each) => this.failing.has(each)) < shareOfFailing(this.max) &&
      (share === undefined ||
        taken.sum((each, ofKind) => ofKind === kind && this.failing.has(each)) < shareOfFailing(share))
    );
  }

  private isBusy(taken: Taken, kind: string | undefined): boolean {
    const share = kind === undefined ? undefined : this.kindShares.get(kind);
    return share !== undefined && taken.sum((_id, ofKind) => ofKind === kind) >= share.together;
  }

  private maxOf(id: string, kind: string | undefined): number {
    if (this.failing.has(id)) return 1;
    return (
      this.shares.get(id) ??
      (kind === undefined ? undefined : this.kindShares.get(kind)?.each) ??
      Number.POSITIVE_INFINITY
    );
  }
}
