import { randomUUID } from "node:crypto";
import { type FindOptionsWhere, LessThanOrEqual, MoreThan, Not } from "typeorm";
import { timestamp } from "../../src/common/time";
import type { Database } from "../../src/database/database";
import { insertAll } from "../../src/database/insert-all";
import type { Tx } from "../../src/database/unit-of-work";
import { Deliverer } from "../../src/delivery/deliverer";
import { Lane } from "../../src/delivery/lane.entity";
import { WAKE_LANE, wakeWork } from "../../src/delivery/wake-lanes";
import { agentClient } from "../support/agents";
import { firstAgentId } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

/** More lanes than a transaction wakes. */
const LANES = 1_200;

const HOUR_MS = 3_600_000;

/** True if a transaction waits for an advisory lock. */
async function isLockAwaited(database: Database): Promise<boolean> {
  const rows = await database.read((reader) =>
    reader.query(
      `SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
       WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()`,
    ),
  );
  return rows.length > 0;
}

describeGateway((gateway) => {
  const write = <T>(unit: (tx: Tx) => Promise<T>) => gateway.services.database.write(unit);
  const count = (where: FindOptionsWhere<Lane>) => gateway.rows.countBy(Lane, where);

  const addLanes = async (agentId: string, wakeAt: string) => {
    const many = Array.from({ length: LANES }, () => ({ id: randomUUID(), agentId, kind: "work", wakeAt }));
    for (let from = 0; from < LANES; from += 200)
      await write((tx) => insertAll(tx, Lane, many.slice(from, from + 200)));
  };

  /** Delivers until a condition on the delivered lanes is true. */
  async function deliverUntil(isDone: (done: readonly string[]) => Promise<boolean>): Promise<string[]> {
    const done: string[] = [];
    const deliverer = new Deliverer(gateway.services.database, gateway.services.lanes, {
      restores: { columns: "", isKnown: () => true, check: async () => undefined },
      work: (kind) =>
        kind === WAKE_LANE
          ? wakeWork
          : {
              start: async (_, ids) => {
                done.push(...ids);
                // Held back again.
                return {
                  next: new Map(ids.map((id) => [id, timestamp(HOUR_MS)])),
                  dispatches: [],
                  waiting: [],
                };
              },
              finish: async () => undefined,
            },
      senders: 1,
      onError: (error) => {
        throw error;
      },
    });
    await waitUntil(() => isDone(done));
    await deliverer.close();
    return done;
  }

  test("many lanes of an agent are woken in parts, each of them once", async () => {
    const agentId = await firstAgentId(gateway);
    const { lanes } = gateway.services;
    await addLanes(agentId, timestamp(HOUR_MS));
    const [before, after] = await write(async (tx) => {
      const asleep = () => tx.countBy(Lane, { agentId, wakeAt: MoreThan(timestamp()) });
      const found = await asleep();
      await lanes.wakeAgents(tx, [agentId]);
      return [found, await asleep()];
    });
    expect([before, after]).toEqual([LANES, LANES - 1_000]);
    // As after a kill, the remaining work exists only in the database.
    const woken = await deliverUntil(
      // Between two parts, no lane is due either.
      async (done) => done.length >= LANES && (await count({ wakeAt: LessThanOrEqual(timestamp()) })) === 0,
    );
    expect(woken.length).toBe(LANES);
    expect(new Set(woken).size).toBe(LANES);
    await write((tx) => tx.delete(Lane, { agentId }));
  });

  slowTest("lanes that another transaction has locked are woken after it has ended", async () => {
    const agentId = await firstAgentId(gateway);
    const { lanes } = gateway.services;
    const wakeAt = timestamp(HOUR_MS);
    await addLanes(agentId, wakeAt);
    await write(async (tx) => {
      await lanes.wakeAgents(tx, [agentId]);
      await tx.delete(Lane, { kind: "work", wakeAt: Not(wakeAt) });
    });
    await write(async (tx) => {
      const [last] = await tx.find(Lane, { where: { agentId, wakeAt }, order: { id: "DESC" }, take: 1 });
      await lanes.lock(tx, (last as Lane).id);
      // On SQLite, nothing is delivered before this transaction has ended.
      if (gateway.services.database.identity === undefined) return;
      await deliverUntil(async () => (await count({ agentId, wakeAt })) === 1);
    });
    await deliverUntil(async () => (await count({ agentId, wakeAt })) === 0);
    await write((tx) => tx.delete(Lane, { agentId }));
  });

  test("lanes behind a locked one are woken after it, and lanes before it only once", async () => {
    const { services } = gateway;
    // On SQLite, no other transaction locks a lane.
    if (services.database.identity === undefined) return;
    const { id: agentId } = await agentClient(gateway).add();
    const wakeAt = timestamp(HOUR_MS);
    await addLanes(agentId, wakeAt);
    const wake = () => write((tx) => wakeWork.start(tx, [agentId], undefined as never));
    const stillAsleep = () => count({ agentId, wakeAt });
    await write((tx) =>
      insertAll(tx, Lane, [{ id: agentId, agentId, kind: WAKE_LANE, wakeAt: timestamp(), position: "" }]),
    );
    await write(async (tx) => {
      const [locked] = await tx.find(Lane, {
        where: { agentId, wakeAt },
        order: { id: "ASC" },
        skip: 300,
        take: 1,
      });
      await services.lanes.lock(tx, (locked as Lane).id);
      await wake();
      expect(await stillAsleep()).toBe(LANES - 300);
      await write((other) =>
        other.update(
          Lane,
          { agentId, kind: "work", wakeAt: Not(wakeAt) },
          { wakeAt: timestamp(2 * HOUR_MS) },
        ),
      );
      await wake();
      expect(await count({ agentId, kind: "work", wakeAt: LessThanOrEqual(timestamp()) })).toBe(0);
    });
    await wake();
    expect(await stillAsleep()).toBe(0);
    await write((tx) => tx.delete(Lane, { agentId }));
  });

  test("a change that wakes an agent's lanes waits for deliverers, and then keeps them only from its own lanes", async () => {
    const { services } = gateway;
    // On SQLite, the change and the deliverer take turns.
    if (services.database.identity === undefined) return;
    const desk = agentClient(gateway);
    const [{ id: changed }, { id: other }] = [await desk.add(), await desk.add()];
    for (const agentId of [changed, other])
      await write((tx) =>
        insertAll(tx, Lane, [{ id: randomUUID(), agentId, kind: "work", wakeAt: timestamp() }]),
      );
    const due = async (tx: Tx) => {
      const lanes = await services.lanes.lockDue(tx, { max: 100, ready: { except: [] } });
      return lanes.filter(({ isHeldBack }) => !isHeldBack).length;
    };
    let isAwaited = false;
    await write(async (deliverer) => {
      expect(await due(deliverer)).toBe(2);
      const waiting = write((tx) => services.lanes.awaitDeliveries(tx, [changed])).then(() => {
        isAwaited = true;
      });
      await waitUntil(() => isLockAwaited(services.database));
      expect(isAwaited).toBe(false);
      return [waiting];
    }).then(([waiting]) => waiting);
    await write(async (change) => {
      await services.lanes.awaitDeliveries(change, [changed]);
      const unlocked = await write((tx) => tx.query("SELECT 1 FROM lane FOR UPDATE SKIP LOCKED"));
      expect(unlocked.length).toBe(2);
      const isDue = (agentId: string) => ({ agentId, wakeAt: LessThanOrEqual(timestamp()) });
      expect(await deliverUntil(async () => (await count(isDue(other))) === 0)).toHaveLength(1);
      expect(await count(isDue(changed))).toBe(1);
    });
    expect(await write(due)).toBe(1);
    await write((tx) => tx.delete(Lane, { kind: "work" }));
  });

  test("a deliverer pauses while a change keeps it from all due lanes", async () => {
    const { database, lanes } = gateway.services;
    // On SQLite, the change and the deliverer take turns.
    if (database.identity === undefined) return;
    const { id: agentId } = await agentClient(gateway).add();
    await addLanes(agentId, timestamp(-60_000));
    const locking = jest.spyOn(lanes, "lockDue");
    await write(async (change) => {
      await lanes.awaitDeliveries(change, [agentId]);
      const until = Date.now() + 500;
      await deliverUntil(async () => Date.now() > until);
    });
    // A batch and a pause take at least 50 ms, and a batch locks lanes at most twice.
    expect(locking.mock.calls.length).toBeLessThan(30);
    locking.mockRestore();
    await write((tx) => tx.delete(Lane, { agentId }));
  });

  test("the lanes of a deleted agent are not worked on, and the deletion changes none of them", async () => {
    const desk = agentClient(gateway);
    const { id: agentId } = await desk.add();
    await addLanes(agentId, timestamp(-60_000));
    jest.spyOn(gateway.services.agentPurge, "start").mockReturnValue();
    await desk.delete(agentId);
    expect(await count({ agentId })).toBe(LANES);
    expect(await deliverUntil(async () => (await count({ agentId })) === 0)).toEqual([]);
  });
});
