import { setImmediate as nextTurn } from "node:timers/promises";
import { BatchGate } from "../../src/common/batch-gate";
import { coalesce, coalesceByKey, indexBy } from "../../src/common/coalesce";

describe("coalesced lookups", () => {
  let queries: string[][];
  let rows: { id: string; name: string }[];
  const lookup = () =>
    coalesceByKey(async (keys) => {
      queries.push(keys);
      return indexBy(
        rows.filter(({ id }) => keys.includes(id)),
        ({ id }) => id,
      );
    });
  beforeEach(() => {
    queries = [];
    rows = [
      { id: "1", name: "Rex" },
      { id: "2", name: "Tom" },
    ];
  });

  test("lookups in one turn make one query for their distinct keys, and each gets its own result", async () => {
    const find = lookup();
    const found = await Promise.all(["2", "1", "3", "1"].map(find));
    expect(found.map((row) => row?.name)).toEqual(["Tom", "Rex", undefined, "Rex"]);
    expect(queries).toEqual([["2", "1", "3"]]);
  });

  test("lookups in two turns make two queries, even while the first is running", async () => {
    const find = lookup();
    const first = find("1");
    await nextTurn();
    const second = find("1");
    await Promise.all([first, second]);
    expect(queries).toEqual([["1"], ["1"]]);
  });

  test("a lookup that never returns does not delay later callers", async () => {
    const never = new Promise<Map<string, string>>(() => undefined);
    const find = coalesceByKey((keys) =>
      keys.includes("stuck") ? never : Promise.resolve(new Map([["1", "Rex"]])),
    );
    void find("stuck");
    await nextTurn();
    expect(await find("1")).toBe("Rex");
    expect(await find("1")).toBe("Rex");
  });

  test("nothing is cached, so the next lookup returns a change", async () => {
    const find = lookup();
    expect(await find("1")).toEqual({ id: "1", name: "Rex" });
    expect(await find("3")).toBeUndefined();
    rows = [
      { id: "1", name: "Max" },
      { id: "3", name: "Ivy" },
    ];
    expect(await find("1")).toEqual({ id: "1", name: "Max" });
    expect(await find("3")).toEqual({ id: "3", name: "Ivy" });
  });

  test("several statements look up more keys than fit into one", async () => {
    const keys = Array.from({ length: 2_500 }, (_, i) => String(i));
    await Promise.all(keys.map(lookup()));
    expect(queries.map((query) => query.length)).toEqual([1_000, 1_000, 500]);
  });

  test("a failed query fails its lookups but not the next ones", async () => {
    let broken = true;
    const find = coalesceByKey(async (keys) => {
      if (broken) throw new Error("broken");
      return new Map(keys.map((key) => [key, key]));
    });
    const outcomes = await Promise.allSettled([find("1"), find("2")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    broken = false;
    expect(await find("1")).toBe("1");
  });
});

describe("batches of several coalescers that share a gate", () => {
  /** Returns a coalescer, the batches that it has started, and functions that finish these batches. */
  function held(gate: BatchGate) {
    const batches: { items: readonly string[]; end: () => void }[] = [];
    const call = coalesce<string, string>(
      (items) => new Promise((resolve) => batches.push({ items, end: () => resolve([...items]) })),
      { gate },
    );
    const started = () => batches.map(({ items }) => items.join());
    return { call, batches, started };
  }
  const aFewTicks = async () => {
    for (let i = 0; i < 5; i++) await nextTurn();
  };

  test("start together, after all earlier batches have finished", async () => {
    const gate = new BatchGate();
    const [keys, pets] = [held(gate), held(gate)];
    const first = [keys.call("a"), pets.call("1")];
    await aFewTicks();
    const second = [keys.call("b"), keys.call("c"), pets.call("2")];
    keys.batches[0]?.end();
    await first[0];
    await aFewTicks();
    expect([keys.started(), pets.started()]).toEqual([["a"], ["1"]]);
    expect(gate.waitingCalls).toBe(3);

    pets.batches[0]?.end();
    await first[1];
    await aFewTicks();
    expect([keys.started(), pets.started()]).toEqual([
      ["a", "b,c"],
      ["1", "2"],
    ]);
    expect(gate.waitingCalls).toBe(0);
    keys.batches[1]?.end();
    pets.batches[1]?.end();
    expect(await Promise.all(second)).toEqual(["b", "c", "2"]);
  });

  test.each([
    { title: "do not wait for a batch that never ends", serial: false, started: ["a", "b"] },
    { title: "wait for it as long as it takes if they are serial", serial: true, started: ["a"] },
  ])("$title", async ({ serial, started }) => {
    jest.useFakeTimers({ doNotFake: ["setImmediate", "nextTick"] });
    try {
      const gate = new BatchGate(serial);
      const [stuck, keys] = [held(gate), held(gate)];
      const first = [stuck.call("1"), keys.call("a")];
      await aFewTicks();
      keys.batches[0]?.end();
      await first[1];
      const second = keys.call("b");
      jest.advanceTimersByTime(150);
      await aFewTicks();
      expect(keys.started()).toEqual(started);

      stuck.batches[0]?.end();
      await first[0];
      await aFewTicks();
      expect(keys.started()).toEqual(["a", "b"]);
      keys.batches[1]?.end();
      expect(await second).toBe("b");
    } finally {
      jest.useRealTimers();
    }
  });

  test("follow a failed batch like any other", async () => {
    const gate = new BatchGate(true);
    const failing = coalesce<string, string>(() => Promise.reject(new Error("broken")), { gate });
    const { call, batches } = held(gate);
    await expect(failing("1")).rejects.toThrow("broken");
    const answer = call("a");
    await aFewTicks();
    batches[0]?.end();
    expect(await answer).toBe("a");
  });
});
