// One class, because each batch stores the results of earlier sends and starts new ones, from the same senders.

import { setMaxListeners } from "node:events";
import { v7 as uuid } from "uuid";
import { groupBy } from "../common/group-by";
import type { Timestamp } from "../common/time";
import type { Database } from "../database/database";
import { DELIVERING } from "../database/limits";
import type { Tx } from "../database/unit-of-work";
import { BATCH, BatchLoop } from "./batch-loop";
import { AttemptOutcome, type SendResult } from "./driver";
import { failure } from "./failures";
import type { Dispatch, FinishedSend, LaneWork } from "./lane-work";
import type { DueLane, DuePart, Lanes, SomeLanes } from "./lanes";
import { type FreeSenders, NO_SENDERS, Senders, type Share } from "./senders";

/** Max time between leasing a lane and sending its message (ms), so that the attempt ends within the lease. */
const LEAVE_WITHIN_MS = 10_000;

/**
 * Max extra messages per sender that a transaction takes beyond its free senders. It takes one extra message
 * for each send that has finished since the last transaction, because with fast receivers, about as many
 * senders become free during the commit.
 */
const AHEAD = 3;

/** The result for a message that was not assigned a sender in time. */
const NOT_SENT = failure(AttemptOutcome.retryable, "not_sent", "No sender became available in time.", 0);

/** Max time that sends may continue while the process stops (ms). */
const STOP_WITHIN_MS = 4_000;

/** Prevents a restored backup from sending messages again. */
export interface RestoreGuard {
  /** The SQL columns that `isKnown` checks, each preceded by a comma. */
  readonly columns: string;
  /** True if a row with these columns is from a database whose messages may be delivered. */
  isKnown(row: object): boolean;
  /** Holds back the queued messages of a restored database, then marks the database as known. */
  check(): Promise<void>;
}

interface Options {
  restores: RestoreGuard;
  /** Returns the work for a kind of lane. */
  work(kind: string): LaneWork;
  /** Max concurrent sends. */
  senders: number;
  /** Shares of the senders, by name. */
  shares?: ReadonlyMap<string, Share>;
  /** Called when a batch fails; the next batch retries its work. */
  onError: (error: unknown) => void;
}

/** A lane that a transaction processes. */
type NextLane = Pick<DueLane, "id" | "kind" | "owner">;

type LeasedSend = Omit<FinishedSend, "isHeld"> & Pick<DueLane, "kind" | "owner"> & { lease: string };

type OwnedDispatch = Dispatch & Pick<DueLane, "kind" | "owner">;

/** Returns the owner of more than half of a full batch's lanes; empty if there is none. */
function ownersOfMost(lanes: readonly DueLane[]): string[] {
  const ready = lanes.filter(({ needsSender }) => !needsSender);
  if (ready.length < BATCH) return [];
  const byOwner = [...groupBy(ready, ({ owner }) => owner)];
  return byOwner.flatMap(([owner, { length }]) => (length > BATCH / 2 ? [owner] : []));
}

/** Works through due lanes in transactions; messages are sent after the commit, and a later batch stores results. */
export class Deliverer {
  private readonly senders: Senders;
  private readonly stopping = new AbortController();
  private readonly sending = new Set<Promise<void>>();
  /** Finished sends whose results are not yet stored. */
  private ended: LeasedSend[] = [];
  /** Owner of more than half of the last batch's lanes: last in the next batch, but never twice in a row. */
  private greedy: readonly string[] = [];
  private readonly loop: BatchLoop;
  private readonly stopListening: () => Promise<void>;

  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly options: Options,
  ) {
    this.senders = new Senders(options.senders, options.shares);
    // Removes the limit on listeners of this signal, because every send adds one.
    setMaxListeners(0, this.stopping.signal);
    this.stopListening = lanes.onDue((from) =>
      from === undefined ? this.loop.wake() : this.loop.wakeAt(from),
    );
    this.loop = new BatchLoop({
      nextDue: () => this.nextDue(),
      hasResults: () => this.ended.length > 0,
      doBatch: () => this.doBatch(),
      onError: options.onError,
    });
  }

  /** Finishes the current batch and the current sends within seconds, and frees their lanes. */
  async close(): Promise<void> {
    const stopped = this.loop.stop();
    await this.stopListening();
    await stopped;
    const giveUp = setTimeout(() => this.stopping.abort(), STOP_WITHIN_MS);
    await Promise.all(this.sending);
    clearTimeout(giveUp);
    if (this.ended.length > 0) await this.doBatch().catch(this.options.onError);
  }

  /** Also checks the database, so that a restore is detected even while no work is due. */
  private async nextDue(): Promise<Timestamp | undefined> {
    const { restores } = this.options;
    const { due, row } = await this.lanes.nextDue(this.servable, restores.columns);
    if (!restores.isKnown(row)) await restores.check();
    return due;
  }

  /** Lanes that a free sender can serve. */
  private get servable(): SomeLanes | undefined {
    return this.senders.free > 0 ? { except: this.senders.excluded } : undefined;
  }

  /** Locks due lanes, deferred ones for the remaining senders; returns undefined if the database is not known. */
  private async lockDue(tx: Tx, senders: number): Promise<DueLane[] | undefined> {
    if (this.loop.isStopped) return [];
    const { columns } = this.options.restores;
    const { excluded, deferred } = this.senders;
    const greedy = this.greedy.map((owner) => ({ owners: [owner] }));
    const lock = (parts: readonly DuePart[]) =>
      this.lanes.lockDue(tx, ...parts.map((part) => ({ ...part, columns })));
    const parts: DuePart[] = [{ max: BATCH, ready: { except: greedy } }];
    if (senders > 0) parts.unshift({ max: senders, waiting: { except: [...excluded, ...deferred] } });
    const lanes = await lock(parts);
    const left = senders - lanes.filter(({ needsSender }) => needsSender).length;
    const room = BATCH - lanes.filter(({ needsSender }) => !needsSender).length;
    const rest: DuePart[] = [];
    if (left > 0 && deferred.length > 0)
      rest.push({ max: left, waiting: { except: excluded, only: deferred } });
    if (room > 0 && greedy.length > 0) rest.push({ max: room, ready: { except: [], only: greedy } });
    const all = rest.length === 0 ? lanes : [...lanes, ...(await lock(rest))];
    if (!this.isFromKnown(all)) return undefined;
    this.greedy = this.greedy.length > 0 ? [] : ownersOfMost(all);
    return all;
  }

  private isFromKnown([first]: Iterable<object>): boolean {
    return first === undefined || this.options.restores.isKnown(first);
  }

  /** @returns the number of lanes in the batch, and how many of them were not held back */
  private async doBatch(): Promise<{ lanes: number; done: number }> {
    let ended: LeasedSend[] = [];
    let leasedAt = 0;
    const lease = uuid();
    const batch = await this.database.write(
      async (tx) => {
        // Takes all results as soon as the transaction may write; otherwise, a lane whose lease has expired would be
        // taken over even though its send has finished.
        ended = [...this.ended];
        const freed = await this.finish(tx, ended);
        if (freed === undefined) return undefined;
        leasedAt = performance.now();
        const soonFree = Math.min(ended.length, AHEAD * this.options.senders);
        const due = await this.lockDue(tx, this.senders.free + soonFree);
        if (due === undefined) return undefined;
        const over = due.filter(({ isOver }) => isOver);
        const alive = due.filter(({ isOver, isHeldBack }) => !isOver && !isHeldBack);
        await this.lanes.end(
          tx,
          over.map(({ id }) => id),
        );
        // Lanes whose sends have finished come last, because they have just been served.
        const lanes = new Map([...alive, ...freed].map((lane) => [lane.id, lane]));
        const ownerOf = (laneId: string) => lanes.get(laneId)?.owner ?? "";
        const senders = this.loop.isStopped ? NO_SENDERS : this.senders.offer(ownerOf, soonFree);
        const dispatches = await this.start(tx, [...lanes.values()], lease, senders);
        return { lanes: due.length, done: over.length + alive.length, dispatches };
      },
      { limits: DELIVERING, isRepeated: true },
    );
    if (batch === undefined) {
      await this.options.restores.check();
      return { lanes: 1, done: 1 };
    }
    const { lanes, done, dispatches } = batch;
    this.ended = this.ended.slice(ended.length);
    for (const dispatch of dispatches) this.leave(dispatch, lease, leasedAt);
    return { lanes: lanes + ended.length, done: done + ended.length };
  }

  /**
   * Stores the results of sends.
   * @returns the lanes still held by their sends; undefined if the database is not known
   */
  private async finish(tx: Tx, ended: readonly LeasedSend[]): Promise<NextLane[] | undefined> {
    if (ended.length === 0) return [];
    const held = await this.lanes.lockLeased(tx, ended, this.options.restores.columns);
    if (!this.isFromKnown(held.values())) return undefined;
    for (const [kind, ofKind] of groupBy(ended, (send) => send.kind)) {
      const sends = ofKind.map((send) => ({ ...send, isHeld: held.has(send.laneId) }));
      await this.options.work(kind).finish(tx, sends, this.lanes.observing(tx));
    }
    return ended.flatMap(({ laneId: id, kind, owner }) => (held.has(id) ? [{ id, kind, owner }] : []));
  }

  private async start(
    tx: Tx,
    lanes: readonly NextLane[],
    lease: string,
    senders: FreeSenders,
  ): Promise<OwnedDispatch[]> {
    const dispatches: OwnedDispatch[] = [];
    const owners = new Map(lanes.map(({ id, owner }) => [id, owner]));
    for (const [kind, ofKind] of groupBy(lanes, (lane) => lane.kind)) {
      const work = await this.options.work(kind).start(
        tx,
        ofKind.map(({ id }) => id),
        { senders, observer: this.lanes.observing(tx) },
      );
      const leaving = work.dispatches.map(({ laneId }) => laneId);
      const busy = new Set([...leaving, ...work.waiting.map(({ laneId }) => laneId)]);
      const others = ofKind.map(({ id }) => id).filter((id) => !busy.has(id));
      await this.lanes.end(
        tx,
        others.filter((id) => !work.next.has(id)),
      );
      const sleeping = others.flatMap((laneId) => {
        const until = work.next.get(laneId);
        return until === undefined ? [] : [{ laneId, until }];
      });
      await this.lanes.sleep(tx, sleeping);
      await this.lanes.awaitSender(tx, work.waiting);
      if (leaving.length > 0) await this.lanes.lease(tx, leaving, lease);
      dispatches.push(
        ...work.dispatches.map((dispatch) => ({
          ...dispatch,
          kind,
          owner: owners.get(dispatch.laneId) ?? "",
        })),
      );
    }
    return dispatches;
  }

  private leave(
    { message, attempt: number, send: sendOnLine, ...dispatch }: OwnedDispatch,
    lease: string,
    leasedAt: number,
  ): void {
    const mayLeave = () => !this.loop.isStopped && performance.now() - leasedAt < LEAVE_WITHIN_MS;
    const end = (result: SendResult) => {
      this.ended.push({ ...dispatch, lease, messageId: message.id, attempt: number, result });
      this.loop.wakeAtOnce();
    };
    const send = () => {
      const startedAt = performance.now();
      const done = sendOnLine({ number, signal: this.stopping.signal, mayLeave })
        .catch((error): SendResult => {
          this.options.onError(error);
          return {
            outcome: AttemptOutcome.uncertain,
            code: "internal_error",
            detail: "The attempt failed unexpectedly.",
          };
        })
        .then((result) => {
          end(result);
          this.senders.ended(dispatch, result.outcome, performance.now() - startedAt);
          this.sending.delete(done);
        });
      this.sending.add(done);
    };
    this.senders.leave({ ...dispatch, mayLeave, send, giveBack: () => end(NOT_SENT) });
  }
}
