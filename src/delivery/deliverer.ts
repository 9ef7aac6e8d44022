import { setMaxListeners } from "node:events";
import type { EntityManager } from "typeorm";
import { v7 as uuid } from "uuid";
import { groupBy } from "../common/group-by";
import { timestamp } from "../common/time";
import type { Database } from "../database/database";
import { DELIVERING } from "../database/limits";
import { AttemptOutcome, type SendResult } from "./driver";
import type { LaneKind } from "./lane.entity";
import type { Departure, Ended, LaneWork, NextWork } from "./lane-work";
import type { DueLane, Lanes } from "./lanes";
import { Senders } from "./senders";

/** Max lanes of a transaction, because those behind it wait for its commit. */
const BATCH = 100;

/** Min time between two batches that are not full (ms): those of the requests of a moment share one. */
const PAUSE_MS = 50;

/** How often to look for due work that no listener was told of, such as that of killed processes (ms). */
const SWEEP_INTERVAL_MS = 5_000;

/** How long after its lane was leased a message may still leave (ms): early enough to end within the lease. */
const LEAVE_WITHIN_MS = 10_000;

/** How long sends may go on while the process stops (ms). */
const STOP_WITHIN_MS = 4_000;

interface Options {
  /** The work of each kind of lane. */
  work: Readonly<Record<LaneKind, LaneWork>>;
  /** How many messages to send simultaneously. */
  senders: number;
  /** Called when a batch fails; the next one tries again. */
  onError: (error: unknown) => void;
}

/** A send that has ended, with the lease that it held its lane by. */
type EndedSend = Omit<Ended, "isHeld"> & Pick<DueLane, "kind"> & { lease: string };

/**
 * Works through due lanes, in batches of one transaction each. Messages that connect to another system leave once the
 * batch is committed, and what came of them is stored by a later batch.
 */
export class Deliverer {
  private readonly senders: Senders;
  private readonly stopping = new AbortController();
  private readonly sending = new Set<Promise<void>>();
  /** What came of sends, until it is stored. */
  private ended: EndedSend[] = [];
  private running: Promise<void> | undefined;
  private isDue = false;
  private stopped = false;
  private endPause = () => {};
  private alarm: NodeJS.Timeout | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly options: Options,
  ) {
    this.senders = new Senders(options.senders);
    // Every send listens to it.
    setMaxListeners(0, this.stopping.signal);
    lanes.onDue(() => this.wake());
    this.timer = setInterval(() => this.wake(), SWEEP_INTERVAL_MS).unref();
    this.wake();
  }

  /** Stops after the current batch and the current sends, which end within seconds; their lanes are free then. */
  async close(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    clearTimeout(this.alarm);
    this.endPause();
    await this.running;
    const giveUp = setTimeout(() => this.stopping.abort(), STOP_WITHIN_MS);
    await Promise.all(this.sending);
    clearTimeout(giveUp);
    if (this.ended.length > 0) await this.storeEnded().catch(this.options.onError);
  }

  private wake(): void {
    if (this.stopped) return;
    this.isDue = true;
    this.running ??= this.drain()
      .catch(this.options.onError)
      .finally(() => {
        this.running = undefined;
      });
  }

  private async drain(): Promise<void> {
    while (this.isDue && !this.stopped) {
      this.isDue = false;
      // A read first, so that a sweep without work takes no write lock.
      const due = this.ended.length > 0 ? timestamp() : await this.lanes.nextDue(this.servable);
      if (due === undefined) continue;
      const inMs = Date.parse(due) - Date.now();
      if (inMs > 0) this.wakeIn(inMs);
      else if (await this.doBatches()) await this.pause();
    }
  }

  /** @returns whether the last batch had work */
  private async doBatches(): Promise<boolean> {
    for (;;) {
      const lanes = await this.doBatch();
      if (lanes < BATCH || this.stopped) {
        // There may be work that is due before the next sweep.
        this.isDue ||= lanes > 0;
        return lanes > 0;
      }
    }
  }

  /** Waits for more work to share a batch, but not while sends have ended: their conversations wait. */
  private pause(): Promise<void> {
    if (this.ended.length > 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PAUSE_MS);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private wakeIn(ms: number): void {
    clearTimeout(this.alarm);
    // A sweep comes first otherwise.
    if (ms < SWEEP_INTERVAL_MS) this.alarm = setTimeout(() => this.wake(), ms).unref();
  }

  /** The lanes that there is a sender for. */
  private get servable(): { exceptLines: string[] } | undefined {
    return this.senders.free > 0 ? { exceptLines: this.senders.failingLines.busy } : undefined;
  }

  /** Locks lanes that wait for a sender, as many as there are; lines whose last attempt failed get what the others leave. */
  private async lockWaiting(tx: EntityManager): Promise<DueLane[]> {
    const { free, failingLines } = this.senders;
    if (free === 0) return [];
    const { busy, idle } = failingLines;
    const lanes = await this.lanes.lockDue(tx, free, { exceptLines: [...busy, ...idle] });
    const left = free - lanes.length;
    if (left === 0 || idle.length === 0) return lanes;
    return [...lanes, ...(await this.lanes.lockDue(tx, left, { onlyLines: idle }))];
  }

  /** @returns the number of lanes that it worked on */
  private async doBatch(): Promise<number> {
    let ended: EndedSend[] = [];
    let leasedAt = 0;
    const lease = uuid();
    const { lanes, departures } = await this.database.write(
      async (tx) => {
        // Not before its turn to write, and all of them, so that no lane is taken over whose send has ended.
        ended = [...this.ended];
        await this.finish(tx, ended);
        leasedAt = performance.now();
        const lanes = await this.lanes.lockDue(tx, BATCH);
        lanes.push(...(await this.lockWaiting(tx)));
        return { lanes: lanes.length, departures: await this.start(tx, lanes, lease) };
      },
      { limits: DELIVERING },
    );
    this.ended = this.ended.slice(ended.length);
    for (const departure of departures) this.send(departure, lease, leasedAt);
    return lanes + ended.length;
  }

  private storeEnded(): Promise<void> {
    return this.database.write((tx) => this.finish(tx, this.ended), { limits: DELIVERING });
  }

  /** Stores what came of sends; the lanes that they held are free again. */
  private async finish(tx: EntityManager, ended: readonly EndedSend[]): Promise<void> {
    if (ended.length === 0) return;
    const held = await this.lanes.lockLeased(tx, ended);
    for (const [kind, ofKind] of groupBy(ended, (send) => send.kind)) {
      const sends = ofKind.map((send) => ({ ...send, isHeld: held.has(send.laneId) }));
      const next = await this.options.work[kind].finish(tx, sends, this.lanes.observing(tx));
      await this.goOn(
        tx,
        ofKind.map(({ laneId }) => laneId).filter((id) => held.has(id)),
        next,
      );
    }
  }

  private async start(
    tx: EntityManager,
    lanes: readonly DueLane[],
    lease: string,
  ): Promise<(Departure & Pick<DueLane, "kind">)[]> {
    const senders = this.senders.offer();
    const departures: (Departure & Pick<DueLane, "kind">)[] = [];
    for (const [kind, ofKind] of groupBy(lanes, (lane) => lane.kind)) {
      const work = await this.options.work[kind].start(
        tx,
        ofKind.map(({ id }) => id),
        { senders, observer: this.lanes.observing(tx) },
      );
      const leaving = work.departures.map(({ laneId }) => laneId);
      const busy = new Set([...leaving, ...work.waiting.map(({ laneId }) => laneId)]);
      const others = ofKind.filter(({ id }) => !busy.has(id));
      await this.goOn(tx, idsOf(others), work.next);
      for (const [lineId, waiting] of groupBy(work.waiting, (each) => each.lineId)) {
        const ids = waiting.map(({ laneId }) => laneId);
        await this.lanes.awaitSender(tx, ids, lineId);
      }
      if (leaving.length > 0) await this.lanes.lease(tx, leaving, lease);
      departures.push(...work.departures.map((departure) => ({ ...departure, kind })));
    }
    return departures;
  }

  /** Ends lanes, or lets them sleep until their next work. */
  private async goOn(tx: EntityManager, ids: readonly string[], next: NextWork): Promise<void> {
    await this.lanes.end(
      tx,
      ids.filter((id) => !next.has(id)),
    );
    const sleeping = ids.flatMap((id) => {
      const until = next.get(id);
      return until === undefined ? [] : [{ id, until }];
    });
    for (const [until, lanes] of groupBy(sleeping, (lane) => lane.until))
      await this.lanes.sleep(tx, idsOf(lanes), until);
  }

  private send(
    { kind, laneId, lineId, message, attempt: number, send }: Departure & Pick<DueLane, "kind">,
    lease: string,
    leasedAt: number,
  ): void {
    this.senders.started(lineId);
    const mayLeave = () => !this.stopped && performance.now() - leasedAt < LEAVE_WITHIN_MS;
    const done = send(message, { number, signal: this.stopping.signal, mayLeave })
      .catch((error): SendResult => {
        this.options.onError(error);
        return {
          outcome: AttemptOutcome.uncertain,
          code: "internal_error",
          detail: "The attempt failed unexpectedly.",
        };
      })
      .then((result) => {
        this.senders.ended(lineId, result.outcome);
        this.ended.push({ kind, laneId, lineId, lease, messageId: message.id, attempt: number, result });
        this.sending.delete(done);
        this.endPause();
        this.wake();
      });
    this.sending.add(done);
  }
}

const idsOf = (lanes: readonly { id: string }[]): string[] => lanes.map(({ id }) => id);
