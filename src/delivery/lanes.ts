import type { EntityManager } from "typeorm";
import { type Timestamp, timestamp } from "../common/time";
import type { Database } from "../database/database";
import { Lane } from "./lane.entity";
import { type DeliveryObserver, NO_DELIVERY_OBSERVER, onceCommitted } from "./observer";

/** A lane with work, by the ID of what it works on. */
export type NewLane = Pick<Lane, "id" | "agentId" | "kind">;

/** The channel on which processes tell each other of due work. */
const CHANNEL = "gateway_due_lanes";

/** How many lanes there are, in all processes. */
export interface LaneCounts {
  due: number;
  /** Those whose work is not due yet. */
  waiting: number;
  /** How long the work of the oldest due lane has been due (s); 0 if none is due. */
  oldestDueSeconds: number;
}

/** The queue of due work. The rows in the database are the queue; listeners only save the wait for the next sweep. */
export class Lanes {
  private readonly listeners: (() => void)[] = [];

  /** Tells this process that work was committed. */
  readonly notify = (): void => {
    for (const listener of this.listeners) listener();
  };

  constructor(
    private readonly database: Database,
    private readonly observer = NO_DELIVERY_OBSERVER,
  ) {}

  /** What receives measurements of the work that a transaction does. */
  observing(tx: EntityManager): DeliveryObserver {
    return onceCommitted(this.database, tx, this.observer);
  }

  /** Adds lanes whose work is due now, in the transaction that makes the work, or makes those due that exist. */
  async add(tx: EntityManager, lanes: readonly NewLane[]): Promise<void> {
    const wakeAt = timestamp();
    const distinct = new Map(lanes.map((lane) => [lane.id, { ...lane, wakeAt }]));
    await tx
      .createQueryBuilder()
      .insert()
      .into(Lane)
      // A fixed order, so that transactions which share two lanes do not deadlock.
      .values([...distinct.values()].sort((a, b) => (a.id < b.id ? -1 : 1)))
      // Waits for a delivery that holds the lane, because it may end the lane without having seen the new work.
      .orUpdate(["wake_at"], ["id"])
      .updateEntity(false)
      .execute();
    await this.announce(tx);
  }

  /** Makes the work of lanes due; a lane that does not exist has none. */
  async wake(tx: EntityManager, ids: readonly string[]): Promise<void> {
    await tx.update(Lane, [...ids], { wakeAt: timestamp() });
    await this.announce(tx);
  }

  /** Makes all work of agents due, because what held it back may have changed. */
  async wakeAgents(tx: EntityManager, agentIds: readonly string[]): Promise<void> {
    if (agentIds.length === 0) return;
    // Waits for deliveries, which may be about to let a lane sleep, having seen what held it back before.
    const all = tx
      .createQueryBuilder(Lane, "lane")
      .select("lane.id")
      .where("lane.agent_id IN (:...agentIds)", { agentIds })
      .orderBy("lane.id");
    await this.database.locking(all).getRawMany();
    const now = timestamp();
    await tx
      .createQueryBuilder()
      .update(Lane)
      .set({ wakeAt: now })
      .where("agent_id IN (:...agentIds) AND wake_at > :now", { agentIds, now })
      .execute();
    await this.announce(tx, { everywhere: true });
  }

  /** Whether any lane is due. */
  async isAnyDue(): Promise<boolean> {
    const rows = await this.database.read((reader) =>
      reader.query("SELECT 1 FROM lane WHERE wake_at <= $1 LIMIT 1", [timestamp()]),
    );
    return rows.length > 0;
  }

  /** Counts the lanes, as a report, because there may be many. */
  async counts(): Promise<LaneCounts> {
    const [{ due, waiting, first }] = await this.database.report("lanes", (reader) =>
      reader.query(
        `SELECT (SELECT count(*) FROM lane WHERE wake_at <= $1) AS due,
           (SELECT count(*) FROM lane WHERE wake_at > $1) AS waiting, (SELECT min(wake_at) FROM lane) AS first`,
        [timestamp()],
      ),
    );
    const oldestDueSeconds = first === null ? 0 : Math.max(0, Date.now() - Date.parse(first)) / 1000;
    return { due: Number(due), waiting: Number(waiting), oldestDueSeconds };
  }

  /**
   * Locks due lanes, longest due first, until the transaction ends; another process skips them meanwhile.
   * @param max max lanes
   */
  lockDue(tx: EntityManager, max: number): Promise<Pick<Lane, "id" | "kind">[]> {
    const due = tx
      .createQueryBuilder(Lane, "lane")
      .select("lane.id", "id")
      .addSelect("lane.kind", "kind")
      .where("lane.wake_at <= :now", { now: timestamp() })
      .orderBy("lane.wake_at")
      .addOrderBy("lane.id")
      .limit(max);
    return this.database.locking(due, { skipLocked: true }).getRawMany();
  }

  /** Locks a lane until the transaction ends. @returns whether it exists */
  async lock(tx: EntityManager, id: string): Promise<boolean> {
    const lane = await this.database.locking(tx.createQueryBuilder(Lane, "lane").where({ id })).getOne();
    return lane !== null;
  }

  /** Ends lanes without further work. */
  async end(tx: EntityManager, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await tx.delete(Lane, [...ids]);
  }

  /** Lets a lane sleep until a time, or until `wakeAgents`. */
  async sleep(tx: EntityManager, ids: readonly string[], until: Timestamp): Promise<void> {
    if (ids.length > 0) await tx.update(Lane, [...ids], { wakeAt: until });
  }

  /**
   * Tells the deliverers of work that a transaction makes due, once it is committed.
   * @param options.everywhere whether to tell other processes although this one delivers, because there may be much work
   */
  async announce(tx: EntityManager, { everywhere = false } = {}): Promise<void> {
    this.database.afterCommit(tx, this.notify);
    if (everywhere || this.listeners.length === 0) await this.database.notify(tx, CHANNEL);
  }

  /** Hears of the work that other processes commit. @returns a function that stops it */
  listen(): () => Promise<void> {
    return this.database.listen(CHANNEL, this.notify);
  }

  /** Adds a listener that is called when work was committed. */
  onDue(listener: () => void): void {
    this.listeners.push(listener);
  }
}
