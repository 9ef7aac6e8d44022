import type { EntityManager } from "typeorm";
import type { Announcements } from "./announcements";
import { type Dialect, type Engine, NO_LOCKS } from "./engine";
import { InsertOrderLock } from "./insert-order-lock";

/** The transaction of a unit of work: either all statements that run through it are committed, or none are. */
export interface Tx extends EntityManager, Dialect {
  /** True if methods and helpers change no rows and take no locks. */
  readonly isDryRun: boolean;
  /**
   * Blocks inserts into a list by other units of work until this unit ends, so that rows become visible in ID order.
   * Call it before the unit inserts; repeated calls are free.
   * @param parts UUIDs of the list's parts that the unit inserts into, all of them in the first call; undefined for the
   *   whole list
   */
  lockInsertOrder(list: InsertOrderLock, parts?: readonly string[]): Promise<void>;
  /**
   * Waits for inserts that have already authorized their callers, and blocks new ones until this unit of work ends.
   * Call it in a unit that revokes a permission: every insert then either commits before the revocation or is denied.
   * Call it after the unit's other waits, because inserts for all agents then wait for this unit.
   */
  waitForInserts(): Promise<void>;
  /** Runs a hook at the end of the unit, for short-lived locks. Not for single-statement units. */
  beforeCommit(hook: () => Promise<void>): void;
  /**
   * Calls a hook once the unit is durable, before its caller continues.
   * @param hook must not throw; a hook that is added twice is called once
   */
  afterCommit(hook: () => void): void;
  /**
   * Makes an announcement on a channel once the unit is committed. The announcement is not part of the
   * commit, so it does not slow down concurrent commits: other processes are notified a moment later, or not
   * at all if this process is killed first.
   * @param channel a plain SQL identifier
   * @param options.others false if only the listeners of this process need to know
   * @param options.detail passed only to listeners in this process
   */
  announce(channel: string, options?: { others?: boolean; detail?: string | undefined }): void;
}

/** A unit of work: either all statements that run through `tx` are committed, or none are. */
export type UnitOfWork<T> = (tx: Tx) => Promise<T>;

/** A transaction and the hooks that its unit adds. */
export interface Transaction {
  tx: Tx;
  /** The hooks to run before the commit; the list can grow while they run, because a hook may add more. */
  beforeCommit: readonly (() => Promise<void>)[];
  afterCommit: ReadonlySet<() => void>;
}

/** Creates the transaction of a unit from an entity manager in an open transaction. */
export function transactionOf(
  manager: EntityManager,
  engine: Engine,
  announcements: Announcements,
): Transaction {
  const beforeCommit: (() => Promise<void>)[] = [];
  const afterCommit = new Set<() => void>();
  const held = new Set<string>();
  const lockInsertOrder: Tx["lockInsertOrder"] = async ({ number }, parts) => {
    const isHeld = (part: string) => held.has(`${number}`) || held.has(`${number} ${part}`);
    const wanted = parts?.filter((part) => !isHeld(part));
    if (wanted === undefined ? held.has(`${number}`) : wanted.length === 0) return;
    await engine.lockInsertOrder(manager, number, wanted);
    for (const part of wanted ?? [""]) held.add(`${number} ${part}`.trim());
  };
  const tx: Tx = Object.assign(manager, engine.dialect, {
    isDryRun: false,
    lockInsertOrder,
    waitForInserts: async () => {
      for (const list of InsertOrderLock.authorizing) await lockInsertOrder(list);
    },
    beforeCommit: (hook: () => Promise<void>) => void beforeCommit.push(hook),
    afterCommit: (hook: () => void) => void afterCommit.add(hook),
    announce: (channel: string, { others = true, detail }: Parameters<Tx["announce"]>[1] = {}) =>
      void afterCommit.add(() => announcements.announce(channel, others, detail)),
  });
  return { tx, beforeCommit, afterCommit };
}

/** Turns the transaction of a unit into a dry run. */
export function asDryRun(tx: Tx): Tx {
  const nothing = async () => ({ affected: 1, raw: [], generatedMaps: [], identifiers: [] });
  return Object.assign(tx, NO_LOCKS, {
    isDryRun: true,
    lockInsertOrder: async () => undefined,
    insert: nothing,
    update: nothing,
    upsert: nothing,
    delete: nothing,
  });
}
