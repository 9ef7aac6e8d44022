// One class, because all limits count the same senders.

import { groupBy } from "../common/group-by";
import { lruCache } from "../common/lru-cache";
import { shareOf } from "../database/semaphore";
import { AttemptOutcome } from "./driver";

/** The channel, organization and share whose sender limits apply to a message. */
export interface SenderGroup {
  /** ID of a line or webhook endpoint, or the name of another group. */
  channelId: string;
  /** The organization that sends the message. */
  owner: string;
  /** Name of the group's share of senders, if it has one. */
  share?: string | undefined;
}

/** The free senders offered to a transaction. If the transaction commits, it retains the senders that it has taken. */
export interface FreeSenders {
  /**
   * Acquires a sender for a lane's message.
   * @param options.mayWait true if the message may wait for a sender after the transaction
   * @param options.share name of the `Share` that limits the message's senders
   * @param options.isFailing true if the channel's last attempt is known to have failed, possibly in another process
   * @returns true if a sender was available for the channel
   */
  take(
    laneId: string,
    channelId: string,
    options: { mayWait: boolean; share?: string; isFailing?: boolean },
  ): boolean;
  /** Releases an unused sender. */
  giveBack(laneId: string, channelId: string): void;
}

export const NO_SENDERS: FreeSenders = { take: () => false, giveBack: () => undefined };

/** A message that is sent as soon as a sender is free. */
export interface Leaving extends SenderGroup {
  /** True if the message may still be sent. */
  mayLeave(): boolean;
  /** Sends the message; the caller then reports to `Senders.ended`. */
  send(): void;
  /** Called instead of `send` if the message may no longer be sent, or its channel is now limited to one sender. */
  giveBack(): void;
}

/** Limits the senders for a kind of lane or for a channel, so that its messages cannot starve all others. */
export interface Share {
  /** The limit applies to a kind of lane or to a channel. */
  by: "kind" | "channel";
  /** Max senders in total. */
  together: number;
  /** Max senders per organization. */
  owner: number;
  /** Max senders per channel. */
  channel: number;
}

/** Selects the lanes waiting for a sender that meet all given conditions. */
export interface WaitingLanes {
  kind?: string;
  channels?: readonly string[];
  owners?: readonly string[];
}

/** Average attempt duration (ms) above which a channel is limited to one sender. */
const SLOW_MS = 2_000;

/** Weight of the last attempt in a group's average attempt duration. */
const LAST_WEIGHT = 0.25;

/** Average attempt durations below this are not tracked (ms). */
const QUICK_MS = 100;

/**
 * Max failing groups to track, and max slow groups. Each group is a parameter of every batch's statements,
 * and a group whose channel was deleted would stay failing forever.
 */
export const MAX_TRACKED = 500;

/** Max senders for all groups that are limited to one sender because they fail or are slow: half of all senders. */
const shareOfLimited = (senders: number): number => Math.ceil(senders / 2);

/** Returns the max senders per organization: with four or more senders, a quarter always stays free for others. */
const shareOfOwner = (senders: number): number => senders - Math.floor(senders / 4);

const groupOf = ({ channelId, owner, share }: SenderGroup): SenderGroup => ({ channelId, owner, share });

const keyOf = ({ channelId, owner }: SenderGroup): string => `${channelId} ${owner}`;

/** Counts the messages of each group that have a sender or are waiting for one. */
class Taken {
  readonly groups: Map<string, SenderGroup & { count: number }>;

  constructor(from?: Taken) {
    this.groups = new Map(from?.groups);
  }

  get owners(): string[] {
    return [...new Set([...this.groups.values()].map(({ owner }) => owner))];
  }

  /** @returns the number of messages in all groups that pass the test */
  sum(passes: (group: SenderGroup) => boolean): number {
    let sum = 0;
    for (const group of this.groups.values()) if (passes(group)) sum += group.count;
    return sum;
  }

  add(group: SenderGroup, change: number): void {
    const key = keyOf(group);
    const before = this.groups.get(key);
    const count = (before?.count ?? 0) + change;
    if (count > 0) this.groups.set(key, { ...groupOf(before ?? group), count });
    else this.groups.delete(key);
  }
}

/**
 * The senders of this process; each sends one message at a time.
 *
 * - A channel whose last attempt failed, or whose attempts are slow, can have only one sender. All such channels
 *   together can have at most half of the senders, so that the rest stay free for other receivers, and an organization's
 *   channels leave some of this half to others.
 * - An organization can have at most three quarters of the senders, and at most half while others wait.
 * - Shares limit the senders for a kind of lane or a named channel, in total, per organization and per channel.
 */
export class Senders {
  private readonly taken = new Taken();
  private readonly sending = new Taken();
  /** Groups whose last attempt failed. */
  private readonly failing = lruCache<string, SenderGroup>(MAX_TRACKED);
  /** Average duration of each group's attempts (ms), except for quick groups. */
  private readonly averageMs = lruCache<string, SenderGroup & { ms: number }>(MAX_TRACKED);
  private queue: Leaving[] = [];
  private busy = 0;

  /** @param shares the shares, by name */
  constructor(
    private readonly max: number,
    private readonly shares: ReadonlyMap<string, Share> = new Map(),
  ) {}

  /** The number of free senders, or the negated number of messages in the queue while all senders are busy. */
  get free(): number {
    return this.busy < this.max ? this.max - this.busy : -this.queue.length;
  }

  /** Selects the waiting lanes whose channel, organization or share has reached its limit of senders. */
  get excluded(): WaitingLanes[] {
    const { taken } = this;
    const owners = taken.owners;
    const busy = [...new Map([...taken.groups, ...this.limited]).values()].filter((group) =>
      this.isChannelBusy(taken, group),
    );
    const lanes = [
      ...this.lanesOf(busy),
      { owners: owners.filter((owner) => this.isOwnerBusy(taken, owner)) },
      ...[...this.shares].map(([name, share]) => ({
        ...(share.by === "kind" ? { kind: name } : { channels: [name] }),
        ...(taken.sum((group) => group.share === name) < share.together && {
          owners: owners.filter((owner) => this.isShareBusy(taken, name, owner)),
        }),
      })),
    ];
    return lanes.filter((some) => some.owners?.length !== 0);
  }

  /** Selects lanes that get only spare senders: of limited channels, and of organizations with half of the senders. */
  get deferred(): WaitingLanes[] {
    const half = Math.ceil(this.max / 2);
    const owners = this.taken.owners.filter(
      (owner) => this.taken.sum((group) => group.owner === owner) >= half,
    );
    return [...this.lanesOf([...this.limited.values()]), ...(owners.length > 0 ? [{ owners }] : [])];
  }

  private isNamed({ channelId }: SenderGroup): boolean {
    return this.shares.get(channelId)?.by === "channel";
  }

  /** Returns the groups' lanes; lanes of a named group are limited to the group's organization. */
  private lanesOf(groups: readonly SenderGroup[]): WaitingLanes[] {
    const channels = groups.filter((group) => !this.isNamed(group)).map(({ channelId }) => channelId);
    const named = groupBy(
      groups.filter((group) => this.isNamed(group)),
      ({ channelId }) => channelId,
    );
    const ofOwners = [...named].map(([name, some]) => ({
      channels: [name],
      owners: some.map(({ owner }) => owner),
    }));
    return [...(channels.length > 0 ? [{ channels }] : []), ...ofOwners];
  }

  /**
   * Offers the free senders to a transaction; no other may take senders until it has ended.
   * @param ownerOf returns the organization of one of its lanes
   * @param soonFree number of additional messages that it may take, because senders become free while it commits
   */
  offer(ownerOf: (laneId: string) => string, soonFree = 0): FreeSenders {
    const taken = new Taken(this.taken);
    let left = this.free + soonFree;
    return {
      take: (laneId, channelId, { mayWait, share, isFailing = false }) => {
        const group = { channelId, owner: ownerOf(laneId), share };
        if (isFailing) this.failing.set(keyOf(group), group);
        if (left <= (mayWait ? 0 : soonFree) || !this.mayTake(taken, group, soonFree)) return false;
        left -= 1;
        taken.add(group, 1);
        return true;
      },
      giveBack: (laneId, channelId) => {
        left += 1;
        taken.add({ channelId, owner: ownerOf(laneId) }, -1);
      },
    };
  }

  /** Sends a message as soon as a sender is free, in order of arrival. */
  leave(message: Leaving): void {
    this.taken.add(message, 1);
    this.queue.push(message);
    this.sendNext();
  }

  /** Records the end of an attempt and its duration (ms). */
  ended(group: SenderGroup, outcome: AttemptOutcome, durationMs = 0): void {
    const key = keyOf(group);
    this.busy -= 1;
    this.sending.add(group, -1);
    this.taken.add(group, -1);
    const isFailing = outcome === AttemptOutcome.retryable || outcome === AttemptOutcome.uncertain;
    if (isFailing) this.failing.set(key, groupOf(group));
    else this.failing.delete(key);
    const before = this.averageMs.get(key)?.ms ?? 0;
    const ms = before + LAST_WEIGHT * (durationMs - before);
    // A named group is shared by several organizations, so it is not limited to one sender like a slow receiver.
    if (ms < QUICK_MS || this.isNamed(group)) this.averageMs.delete(key);
    else this.averageMs.set(key, { ...groupOf(group), ms });
    this.sendNext();
  }

  private sendNext(): void {
    const waiting = this.queue;
    this.queue = [];
    for (const next of waiting) {
      if (this.busy >= this.max || this.isOwnerBusy(this.sending, next.owner)) {
        this.queue.push(next);
        continue;
      }
      this.taken.add(next, -1);
      const isTooMany = this.isLimited(next) && !this.mayTake(this.taken, next);
      if (isTooMany || !next.mayLeave()) next.giveBack();
      else {
        this.taken.add(next, 1);
        this.sending.add(next, 1);
        this.busy += 1;
        next.send();
      }
    }
  }

  /** Groups limited to one sender, because their last attempt failed or their attempts are slow. */
  private get limited(): ReadonlyMap<string, SenderGroup> {
    const limited = new Map<string, SenderGroup>();
    this.failing.rforEach((group, key) => limited.set(key, group));
    this.averageMs.rforEach((group, key) => group.ms > SLOW_MS && limited.set(key, group));
    return limited;
  }

  private isLimited(group: SenderGroup): boolean {
    const key = keyOf(group);
    return this.failing.has(key) || (this.averageMs.peek(key)?.ms ?? 0) > SLOW_MS;
  }

  /** True if a group may be given another sender; `ahead` senders will soon be free. */
  private mayTake(taken: Taken, group: SenderGroup, ahead = 0): boolean {
    const { owner, share } = group;
    if (this.isOwnerBusy(taken, owner, ahead) || this.isChannelBusy(taken, group)) return false;
    return share === undefined || !this.isShareBusy(taken, share, owner);
  }

  private isOwnerBusy(taken: Taken, owner: string, ahead = 0): boolean {
    return taken.sum((group) => group.owner === owner) >= shareOfOwner(this.max) + ahead;
  }

  private isShareBusy(taken: Taken, name: string, owner: string): boolean {
    const share = this.shares.get(name);
    if (share === undefined) return false;
    const isOfShare = (group: SenderGroup) => group.share === name;
    return (
      taken.sum(isOfShare) >= share.together ||
      taken.sum((group) => isOfShare(group) && group.owner === owner) >= share.owner
    );
  }

  private isChannelBusy(taken: Taken, group: SenderGroup): boolean {
    const share = group.share === undefined ? undefined : this.shares.get(group.share);
    const limited = (each: SenderGroup) => this.isLimited(each);
    const isLimited = limited(group);
    const max = isLimited ? 1 : (share?.channel ?? Number.POSITIVE_INFINITY);
    const key = keyOf(group);
    if ((taken.groups.get(key)?.count ?? 0) >= max) return true;
    if (!isLimited) return false;
    const isFull = (senders: number, counted: (each: SenderGroup) => boolean) => {
      const together = shareOfLimited(senders);
      const isOwn = (each: SenderGroup) => counted(each) && each.owner === group.owner;
      return taken.sum(counted) >= together || taken.sum(isOwn) >= shareOf(together);
    };
    const isOfShare = (each: SenderGroup) => each.share === group.share && limited(each);
    return isFull(this.max, limited) || (share !== undefined && isFull(share.together, isOfShare));
  }
}
