import { randomUUID } from "node:crypto";
import { timestamp } from "../../src/common/time";
import { Deliverer } from "../../src/delivery/deliverer";
import { Lane } from "../../src/delivery/lane.entity";
import { addOrganization, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const LANES = 450;

describeGateway({}, (gateway) => {
  test("a backlog of one organization leaves every second batch to the others, and is finished", async () => {
    const { database, lanes, agents } = gateway.services;
    await addOrganization(gateway, "other");
    const others = (await agents.bySlug("other-agent")).id;
    const greedy = await firstAgentId(gateway);
    const lane = (agentId: string, wakeAt: string) => ({ id: randomUUID(), agentId, kind: "work", wakeAt });
    const last = lane(others, timestamp(-1_000));
    const backlog = Array.from({ length: LANES }, () => lane(greedy, timestamp(-60_000)));
    await database.write(async (tx) => {
      for (const each of [...backlog, last]) await tx.insert(Lane, each);
    });
    const batches: string[][] = [];
    const deliverer = new Deliverer(database, lanes, {
      restores: { columns: "", isKnown: () => true, check: async () => undefined },
      work: () => ({
        start: async (_, ids) => {
          batches.push([...ids]);
          return { next: new Map(), dispatches: [], waiting: [] };
        },
        finish: async () => undefined,
      }),
      senders: 1,
      onError: (error) => {
        throw error;
      },
    });
    await waitUntil(() =>
      database.read(async (reader) => (await reader.countBy(Lane, { kind: "work" })) === 0),
    );
    await deliverer.close();
    expect(batches.findIndex((ids) => ids.includes(last.id))).toBe(1);
    expect(batches.flat().sort()).toEqual([...backlog, last].map(({ id }) => id).sort());
  });

  test("work that is announced while a deliverer becomes idle is found without a sweep", async () => {
    const { database, lanes } = gateway.services;
    const lookups = jest.spyOn(lanes, "nextDue").mockResolvedValue(undefined);
    const deliverer = new Deliverer(database, lanes, {
      restores: { columns: "", isKnown: () => true, check: async () => undefined },
      work: () => {
        throw new Error("There is no work.");
      },
      senders: 1,
      onError: (error) => {
        throw error;
      },
    });
    const turn = () => new Promise(setImmediate);
    await turn();
    const found: number[] = [];
    for (let ticks = 0; ticks < 10; ticks++) {
      lookups.mockClear().mockImplementationOnce(async () => {
        void announceAfter(ticks);
        return undefined;
      });
      const announceAfter = async (microtasks: number) => {
        for (let i = 0; i < microtasks; i++) await undefined;
        lanes.notify();
      };
      lanes.notify();
      await turn();
      found.push(lookups.mock.calls.length);
    }
    await deliverer.close();
    lookups.mockRestore();
    expect(found).toEqual(Array(10).fill(2));
  });
});
