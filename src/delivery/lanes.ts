// One class, because its statements lock and change the same rows.

import { In } from "typeorm";
import { type Timestamp, timestamp } from "../common/time";
import { type Change, changeTogether } from "../database/change-together";
import type { Database } from "../database/database";
import { lockRows } from "../database/lock-rows";
import { inStatements, padded, placeholders } from "../database/returning";
import type { Tx } from "../database/unit-of-work";
import { Lane } from "./lane.entity";
import { NO_WORK_OBSERVER, onceCommitted, type WorkObserver } from "./observer";
import type { WaitingLanes } from "./senders";
import { WAKE_LANE, wakeLanes } from "./wake-lanes";

/** A lane with work, identified by the row to work on; due now if no time is given. */
export type NewLane = Pick<Lane, "id" | "agentId" | "kind"> & Partial<Pick<Lane, "wakeAt">>;

/** A due lane that a transaction has locked. */
export interface DueLane extends Pick<Lane, "id" | "kind"> {
  /** The ID of the lane's organization. */
  owner: string;
  /** True if the lane is waiting for a sender. */
  needsSender: boolean;
  /** True if the lane's agent was deleted; the lane's work is then dropped. */
  isOver: boolean;
  /** True if a transaction blocks deliveries of the lane's agent; the lane's work must then wait. */
  isHeldBack: boolean;
}

/** A selection of lanes: all but `except`, limited to `only` if given. */
export interface SomeLanes {
  except: readonly WaitingLanes[];
  only?: readonly WaitingLanes[];
}

/** Due lanes to lock, at most `max`: lanes waiting for a sender (`waiting`) or all others (`ready`, the default). */
export interface DuePart {
  max: number;
  waiting?: SomeLanes | undefined;
  ready?: SomeLanes | undefined;
  /** Additional SQL columns of the result, each preceded by a comma; the same for all parts. */
  columns?: string;
}

/** The channel that announces due work to other processes. */
const CHANNEL = "gateway_due_lanes";

/** Max time that a send may hold its lane (ms); if its process was killed, the work is due again afterwards. */
export const LEASE_MS = 30_000;

/** Lane counts across all processes. */
export interface LaneCounts {
  due: number;
  /** Lanes whose work is not yet due. */
  waiting: number;
  /** Lanes held by a send. */
  leased: number;
  /** Time since the oldest due lane became due (s), ignoring lanes that wait for a sender; 0 if none is due. */
  oldestDueSeconds: number;
}

/** The queue of due work in the database. */
export class Lanes {
  /** Number of listeners in this process. */
  private listeners = 0;

  constructor(
    private readonly database: Database,
    private readonly observer = NO_WORK_OBSERVER,
  ) {}

  /** Notifies this process that work may be due. */
  notify(): void {
    this.database.relay(CHANNEL);
  }

  /** Returns an observer of a transaction's work that records measurements after the commit. */
  observing(tx: Tx): WorkObserver {
    return onceCommitted(tx, this.observer);
  }

  /**
   * Adds lanes in the transaction that creates the work; an existing lane becomes due at the earlier of the two times.
   */
  async add(tx: Tx, lanes: readonly NewLane[]): Promise<void> {
    await changeTogether(tx, this.adding(tx, lanes));
  }

  /** Returns the statements that `add` runs. */
  adding(tx: Tx, lanes: readonly NewLane[]): Change[] {
    if (lanes.length === 0) return [];
    const now = timestamp();
    const distinct = new Map(lanes.map((lane) => [lane.id, lane]));
    // The fixed order prevents deadlocks between transactions that lock several of the same lanes.
    const inOrder = [...distinct.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    // The insert waits for a delivery that has locked the lane; otherwise, that delivery could end the lane
    // without having seen the new work. An existing lane retains its place in the queue for a sender.
    const [first = now] = inOrder.map(({ wakeAt = now }) => wakeAt).sort();
    this.announce(tx, { from: first > now ? first : undefined });
    return inStatements(inOrder, 4).map((some) => ({
      sql: `INSERT INTO lane (id, agent_id, kind, wake_at) VALUES ${placeholders(some.length, 4)}
       ON CONFLICT (id) DO UPDATE SET wake_at = CASE WHEN lane.wake_at < excluded.wake_at THEN lane.wake_at ELSE excluded.wake_at END`,
      parameters: some.flatMap(({ id, agentId, kind, wakeAt = now }) => [id, agentId, kind, wakeAt]),
    }));
  }

  /** Makes lanes' work due, possibly on a different channel; ignores lanes without a row, which have no work. */
  async wake(tx: Tx, ids: readonly string[]): Promise<void> {
    await tx.update(Lane, [...ids], { wakeAt: timestamp(), needsSender: false, channelId: null });
    this.announce(tx);
  }

  /**
   * Makes agents' lanes due, because they may no longer have to wait; lanes that wait only for a time are not affected.
   * The first lanes become due now; a lane of kind `wake` wakes the rest, even if this process is killed.
   */
  async wakeAgents(tx: Tx, agentIds: readonly string[]): Promise<void> {
    // Deliveries may be about to put a lane to sleep based on the old state.
    await this.awaitDeliveries(tx, agentIds);
    const rest = await wakeLanes(
      tx,
      agentIds.map((agentId) => ({ agentId, from: "" })),
    );
    if (rest.length > 0) {
      const now = timestamp();
      await tx.query(
        `INSERT INTO lane (id, agent_id, kind, wake_at, position) VALUES ${placeholders(rest.length, 5)}
         ON CONFLICT (id) DO UPDATE SET wake_at = excluded.wake_at, position = excluded.position`,
        rest.flatMap(({ agentId, from }) => [agentId, agentId, WAKE_LANE, now, from]),
      );
    }
    this.announce(tx, { everywhere: true });
  }

  /**
   * Waits for the agents' running deliveries and blocks new ones until the transaction ends, so that later deliveries
   * see its changes. Locks no lanes, because an agent can have 100,000 of them.
   */
  async awaitDeliveries(tx: Tx, agentIds: readonly string[]): Promise<void> {
    const lock = tx.textLock("id", "exclusive");
    if (lock === undefined || agentIds.length === 0) return;
    await tx.query(`SELECT ${lock} FROM agent WHERE id IN ${listOf(agentIds)} ORDER BY id`, padded(agentIds));
  }

  /**
   * Returns the time when unleased work is next due; undefined if there is none.
   * @param waiting selects lanes to include even if they wait for a sender; none if undefined
   */
  async nextDue(
    waiting: SomeLanes | undefined,
    columns = "",
  ): Promise<{ due: Timestamp | undefined; row: object }> {
    const parameters: unknown[] = [false, true];
    const first = (condition: string) =>
      `SELECT wake_at FROM lane WHERE ${condition} AND ${this.isFree} ORDER BY wake_at LIMIT 1`;
    const some = waiting === undefined ? "" : conditionOf(waiting, parameters);
    const [row] = await this.database.read(
      (reader) =>
        reader.query(
          `SELECT (${first("needs_sender = $1")}) AS ready, (${first(`needs_sender = $2${some}`)}) AS waiting${columns}`,
          parameters,
        ),
      { isRepeated: true },
    );
    const [due] = [row.ready, waiting && row.waiting].filter((each) => each != null).sort();
    return { due, row };
  }

  /** Counts the lanes; runs as a report, because there may be many. */
  async counts(): Promise<LaneCounts> {
    const [{ due, waiting, leased, first }] = await this.database.report("lanes", (reader) =>
      reader.query(
        `SELECT (SELECT count(*) FROM lane WHERE wake_at <= $1 AND ${this.isFree}) AS due,
           (SELECT count(*) FROM lane WHERE wake_at > $1 AND ${this.isFree}) AS waiting,
           (SELECT count(*) FROM lane WHERE NOT (${this.isFree})) AS leased,
           (SELECT min(wake_at) FROM lane
            WHERE (needs_sender = false OR lease_until IS NOT NULL) AND ${this.isFree}) AS first`,
        [timestamp()],
      ),
    );
    const oldestDueSeconds = first === null ? 0 : Math.max(0, Date.now() - Date.parse(first)) / 1000;
    return { due: Number(due), waiting: Number(waiting), leased: Number(leased), oldestDueSeconds };
  }

  /**
   * Locks due lanes until the transaction ends, longest due first in each part; other processes skip them.
   * @param parts which lanes to lock, and how many; the result has the lanes of each part, in the order of the parts
   */
  async lockDue(tx: Tx, ...parts: readonly DuePart[]): Promise<DueLane[]> {
    const parameters: unknown[] = [timestamp()];
    const isOpen = tx.textLock("agent_id", "trySharing") ?? "true";
    const parameter = (value: unknown) => `$${parameters.push(value)}`;
    const all = parts.map(({ max, waiting, ready, columns = "" }, i) => {
      const which = waiting ?? ready;
      const some = which === undefined ? "" : conditionOf(which, parameters);
      return `SELECT id, kind, (SELECT organization_id FROM agent WHERE agent.id = agent_id) AS owner,
        ${OF_DELETED_AGENT} AS "isOver", NOT ${isOpen} AS "isHeldBack", ${i} AS part${columns} FROM (
        SELECT id, kind, agent_id FROM lane
        WHERE needs_sender = ${parameter(waiting !== undefined)} AND wake_at <= $1 AND ${this.isFree}${some}
        ORDER BY wake_at, id LIMIT ${parameter(max)} ${tx.updateLock({ skipLocked: true })}
      ) AS part_${i}`;
    });
    const rows: (Omit<DueLane, "needsSender"> & { part: number })[] = await tx.query(
      all.join(" UNION ALL "),
      parameters,
    );
    return rows.map(({ part, isOver, isHeldBack, ...lane }) => ({
      ...lane,
      needsSender: parts[part]?.waiting !== undefined,
      isOver: Boolean(isOver),
      isHeldBack: Boolean(isHeldBack),
    }));
  }

  /** Locks a lane until the transaction ends; returns true if it exists. */
  async lock(tx: Tx, id: string): Promise<boolean> {
    return (await this.lockAll(tx, [id])).has(id);
  }

  /** Locks lanes until the transaction ends; returns the IDs of the lanes that exist. */
  async lockAll(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const query = tx.createQueryBuilder(Lane, "lane").where({ id: In([...ids]) });
    return new Set((await lockRows(tx, query)).keys());
  }

  /** Locks the free lanes until the transaction ends; returns the lanes locked by other transactions. */
  async lockFree(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const skipping = tx.updateLock({ skipLocked: true });
    // A database with a single writer has no concurrent transactions.
    if (skipping === "" || ids.length === 0) return new Set();
    const these = `SELECT id FROM lane WHERE id IN ${listOf(ids)}`;
    const rows: { id: string }[] = await tx.query(
      `WITH free AS (${these} ORDER BY id ${skipping}) ${these} AND id NOT IN (SELECT id FROM free)`,
      padded(ids),
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Changes the kind of lanes locked by the transaction. */
  async become(tx: Tx, ids: readonly string[], kind: string): Promise<void> {
    await tx.update(Lane, [...ids], { kind });
  }

  /** Lets a send hold lanes beyond the transaction, until it ends or its lease, which has a new ID, expires. */
  async lease(tx: Tx, ids: readonly string[], lease: string): Promise<void> {
    const until = this.database.clock(LEASE_MS);
    await tx.query(
      `UPDATE lane SET lease = $1, lease_until = ${until}, wake_at = ${until}, needs_sender = true
       WHERE id IN ${listOf(ids, 2)}`,
      [lease, ...padded(ids)],
    );
  }

  /**
   * Waits for transactions that block the agents' deliveries, then locks leased lanes until the transaction ends.
   * @returns the rows of lanes that still have the lease, by ID, without lanes of deleted agents
   */
  async lockLeased(
    tx: Tx,
    sends: readonly { laneId: string; lease: string }[],
    columns = "",
  ): Promise<ReadonlyMap<string, object>> {
    const leases = new Map(sends.map(({ laneId, lease }) => [laneId, lease]));
    const ids = [...leases.keys()];
    const lock = tx.textLock("agent_id", "shared");
    if (lock !== undefined)
      await tx.query(
        `SELECT ${lock} FROM (SELECT DISTINCT agent_id FROM lane WHERE id IN ${listOf(ids)}) AS held ORDER BY agent_id`,
        padded(ids),
      );
    const rows: { id: string; lease: string | null }[] = await tx.query(
      `SELECT id, lease${columns} FROM lane WHERE id IN ${listOf(ids)} AND NOT ${OF_DELETED_AGENT}
       ORDER BY id ${tx.updateLock()}`,
      padded(ids),
    );
    return new Map(rows.filter(({ id, lease }) => lease === leases.get(id)).map((row) => [row.id, row]));
  }

  /** Ends lanes that have no more work. */
  async end(tx: Tx, ids: readonly string[]): Promise<void> {
    await changeTogether(tx, this.ending(ids));
  }

  /** Returns the statement that `end` runs; empty if there are no lanes. */
  ending(ids: readonly string[]): Change[] {
    if (ids.length === 0) return [];
    return [{ sql: `DELETE FROM lane WHERE id IN ${listOf(ids)}`, parameters: padded(ids) }];
  }

  /** Puts each lane to sleep until a time, or until it is woken, and releases its lease. */
  async sleep(tx: Tx, lanes: readonly { laneId: string; until: Timestamp }[]): Promise<void> {
    if (lanes.length === 0) return;
    const rows = padded(lanes);
    await tx.query(
      `WITH sleeping (id, wake_at) AS (VALUES ${placeholders(rows.length, 2)})
       UPDATE lane SET wake_at = sleeping.wake_at, lease = NULL, lease_until = NULL
       FROM sleeping WHERE lane.id = sleeping.id`,
      rows.flatMap(({ laneId, until }) => [laneId, until]),
    );
  }

  /** Makes lanes wait for a free sender on their channel; due lanes retain their place in the queue. */
  async awaitSender(tx: Tx, lanes: readonly { laneId: string; channelId: string }[]): Promise<void> {
    if (lanes.length === 0) return;
    const rows = padded(lanes);
    await tx.query(
      `WITH waiting (id, line_id) AS (VALUES ${placeholders(rows.length, 2, 2)})
       UPDATE lane SET needs_sender = true, line_id = waiting.line_id, lease = NULL, lease_until = NULL,
         wake_at = CASE WHEN wake_at < $1 THEN wake_at ELSE $1 END
       FROM waiting WHERE lane.id = waiting.id`,
      [timestamp(), ...rows.flatMap(({ laneId, channelId }) => [laneId, channelId])],
    );
  }

  /**
   * Announces due work to deliverers once the transaction is committed.
   * @param options.everywhere true to notify other processes even if this one delivers, because there may be a lot of
   *   work
   * @param options.from when the work is due, if not now
   */
  announce(
    tx: Tx,
    { everywhere = false, from }: { everywhere?: boolean; from?: Timestamp | undefined } = {},
  ): void {
    tx.announce(CHANNEL, { others: everywhere || this.listeners === 0, detail: from });
  }

  /** Calls a listener when work is due, with its time if that is in the future; returns a function that stops it. */
  onDue(listener: (from?: Timestamp) => void): () => Promise<void> {
    this.listeners += 1;
    const stop = this.database.listen(CHANNEL, listener);
    return () => {
      this.listeners -= 1;
      return stop();
    };
  }

  /** An SQL condition for lanes that no send holds. */
  private get isFree(): string {
    return `(lease_until IS NULL OR lease_until <= ${this.database.clock()})`;
  }
}

const OF_DELETED_AGENT =
  "EXISTS (SELECT 1 FROM agent WHERE agent.id = agent_id AND agent.deleted_at IS NOT NULL)";

/** Returns an SQL condition for lanes, starting with `AND`, and adds its parameters. */
function conditionOf({ except, only }: SomeLanes, parameters: unknown[]): string {
  const listed = (values: readonly string[]) =>
    `(${values.map((value) => `$${parameters.push(value)}`).join(", ")})`;
  const meets = ({ kind, channels, owners }: WaitingLanes) => {
    const conditions = [
      kind && `kind = $${parameters.push(kind)}`,
      channels && `coalesce(line_id, '') IN ${listed(channels)}`,
      owners && `agent_id IN (SELECT id FROM agent WHERE organization_id IN ${listed(owners)})`,
    ];
    return `(${conditions.filter(Boolean).join(" AND ")})`;
  };
  const excluded = except.map((lanes) => ` AND NOT ${meets(lanes)}`).join("");
  return only === undefined ? excluded : `${excluded} AND (${only.map(meets).join(" OR ")})`;
}

/** Returns the placeholders of values padded with `padded`, such as `($1, $2)`, numbered from `first`. */
const listOf = (values: readonly unknown[], first = 1): string =>
  placeholders(1, padded(values).length, first);
