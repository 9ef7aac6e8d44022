import { setTimeout as pause } from "node:timers/promises";
import type { EntityManager } from "typeorm";
import { groupBy } from "../common/group-by";
import type { Timestamp } from "../common/time";
import type { Database } from "../database/database";
import type { LaneKind } from "./lane.entity";
import type { Lanes } from "./lanes";
import type { DeliveryObserver } from "./observer";

/** Max lanes of a transaction, because those behind it wait for its commit. */
const BATCH = 100;

/** Min time between two batches that are not full (ms): those of the requests of a moment share one. */
const PAUSE_MS = 50;

/** How often to look for due work that no listener was told of: of other processes, or due only now (ms). */
const SWEEP_INTERVAL_MS = 5_000;

/** When each lane is due again; a lane without an entry has no further work. */
export type NextWork = ReadonlyMap<string, Timestamp>;

/** Does the due work of lanes of one kind in the transaction that holds their locks. */
export type LaneWork = (
  tx: EntityManager,
  laneIds: readonly string[],
  observer: DeliveryObserver,
) => Promise<NextWork>;

/** Works through due lanes, in batches of one transaction each. */
export class Deliverer {
  private running: Promise<void> | undefined;
  private isDue = false;
  private stopped = false;
  private readonly timer: NodeJS.Timeout;

  /**
   * @param work the work of each kind of lane
   * @param onError called when a batch fails; the next sweep tries again
   */
  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly work: Readonly<Record<LaneKind, LaneWork>>,
    private readonly onError: (error: unknown) => void,
  ) {
    lanes.onDue(() => this.wake());
    this.timer = setInterval(() => this.wake(), SWEEP_INTERVAL_MS).unref();
    this.wake();
  }

  /** Stops after the current batch. */
  async close(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.running;
  }

  private wake(): void {
    if (this.stopped) return;
    this.isDue = true;
    this.running ??= this.drain()
      .catch(this.onError)
      .finally(() => {
        this.running = undefined;
      });
  }

  private async drain(): Promise<void> {
    while (this.isDue && !this.stopped) {
      this.isDue = false;
      // A read first, so that a sweep without work takes no write lock.
      if (!(await this.lanes.isAnyDue())) continue;
      while (!this.stopped && (await this.doBatch()) === BATCH);
      await pause(PAUSE_MS);
    }
  }

  /** @returns the number of lanes whose work was done */
  private doBatch(): Promise<number> {
    return this.database.write(
      async (tx) => {
        const lanes = await this.lanes.lockDue(tx, BATCH);
        for (const [kind, ofKind] of groupBy(lanes, (lane) => lane.kind)) {
          const ids = ofKind.map(({ id }) => id);
          const next = await this.work[kind](tx, ids, this.lanes.observing(tx));
          await this.lanes.end(
            tx,
            ids.filter((id) => !next.has(id)),
          );
          for (const [until, sleeping] of groupBy(next, ([, until]) => until)) {
            await this.lanes.sleep(
              tx,
              sleeping.map(([id]) => id),
              until,
            );
          }
        }
        return lanes.length;
      },
      { background: true },
    );
  }
}
