import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FindOperator } from "typeorm";
import { systemFor } from "../../src/auth/context";
import type { Database } from "../../src/database/database";
import type { CompiledConfigurations } from "../../src/features/configuration/compiled-configurations";
import { ConfigurationVersion } from "../../src/features/configuration/configuration-version.entity";
import { Candidates } from "../../src/features/decisions/candidates";
import type { Replays } from "../../src/features/decisions/replay";
import { ReplayService } from "../../src/features/decisions/replay.service";
import { ReplayTurns } from "../../src/features/decisions/replay-turns";

type Read = [ids: string[], candidate: ConfigurationVersion];

/** A decision for the replays. */
type Recorded = { id: string };

/**
 * Returns a function that replays the given decisions as if the service had read them from its database.
 * @param loads receives the number of decisions of each read
 */
function replaying(
  loads: number[] = [],
): (organizationId: string, decisions: Recorded[], isGone?: () => boolean) => Promise<Replays> {
  const reads = new Map<string, Read[]>();
  const stored = new Map<string, Recorded>();
  const find = async (_: unknown, { where }: { where: { id: FindOperator<string[]> } }) => {
    loads.push(where.id.value.length);
    return where.id.value.map((id) => stored.get(id));
  };
  const database = {
    report: async (owner: string) => reads.get(owner)?.shift(),
    read: (query: (reader: object) => Promise<unknown>) => query({ find }),
  };
  const candidates = new Candidates(
    database as unknown as Database,
    { of: () => ({}) } as unknown as CompiledConfigurations,
    { check: () => Promise.reject(new Error("not a draft")) },
  );
  const service = new ReplayService(database as unknown as Database, candidates, new ReplayTurns());
  return (id, decisions, isGone) => {
    const own = reads.get(id) ?? [];
    reads.set(id, own);
    for (const decision of decisions) stored.set(decision.id, decision);
    own.push([decisions.map(({ id: each }) => each), new ConfigurationVersion()]);
    const context = { ...systemFor({ id } as Parameters<typeof systemFor>[0]), isGone };
    return service.many(context, { first: 100, against: { version: 1 } });
  };
}

/** Returns erased decisions. They need no configuration, and call `evaluated` when they are evaluated. */
const decisions = (count: number, evaluated: () => void): Recorded[] =>
  Array.from({ length: count }, () => ({
    id: randomUUID(),
    situation: { type: "order", data: {} },
    ruleId: null,
    get snapshot() {
      evaluated();
      return null;
    },
  }));

function keepBusy(durationMs: number): void {
  const end = performance.now() + durationMs;
  while (performance.now() < end);
}

test("an organization's replays run one after the other, and two organizations' replays take turns", async () => {
  const order: string[] = [];
  const replay = replaying();
  const of = (name: string) => decisions(3, () => order.push(name));
  await Promise.all([replay("one", of("first")), replay("one", of("second")), replay("two", of("other"))]);
  expect(order.slice(0, 6)).toEqual(["first", "other", "first", "other", "first", "other"]);
  expect(order.slice(6)).toEqual(["second", "second", "second"]);
});

test("slow decisions are not evaluated in every turn of the event loop", async () => {
  let evaluated = 0;
  const replay = replaying();
  const slow = () => {
    evaluated += 1;
    // The replay then pauses for equally long, so ten turns fit into the pause even on a busy machine.
    keepBusy(150);
  };
  const replays = ["one", "two"].map((id) => replay(id, decisions(2, slow)));
  while (evaluated === 0) await nextTurn();
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  expect(evaluated).toBeLessThanOrEqual(2);
  await Promise.all(replays);
  expect(evaluated).toBe(4);
});

test("a replay that fails ends the turn of its organization", async () => {
  const replay = replaying();
  const failing = decisions(1, () => {
    throw new Error("broken");
  });
  const failed = replay("one", failing);
  const next = replay(
    "one",
    decisions(2, () => undefined),
  );
  await expect(failed).rejects.toThrow("broken");
  expect(await next).toMatchObject({ total: 2, erased: 2 });
});

test("replays whose clients have disconnected stop after the current decision, or do not start", async () => {
  let evaluated = 0;
  const replay = replaying();
  const evaluate = () => {
    evaluated += 1;
  };
  const replays = Array.from({ length: 2 }, () =>
    replay("one", decisions(500, evaluate), () => evaluated === 3),
  );
  const ended = await Promise.allSettled(replays);
  expect(ended.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(evaluated).toBe(3);
  expect(await replay("one", decisions(500, evaluate))).toMatchObject({ total: 500 });
});

test("a replay loads few decisions at a time, because they may be large", async () => {
  const loads: number[] = [];
  const replay = replaying(loads);
  const replays = await replay(
    "one",
    decisions(45, () => undefined),
  );
  expect(replays).toMatchObject({ total: 45, erased: 45 });
  expect(loads).toEqual([20, 20, 5]);
});
