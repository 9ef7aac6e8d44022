import { randomUUID } from "node:crypto";
import { timestamp } from "../../src/common/time";
import { insertAll } from "../../src/database/insert-all";
import { Deliverer } from "../../src/delivery/deliverer";
import { Lane } from "../../src/delivery/lane.entity";
import { NO_WORK_OBSERVER } from "../../src/delivery/observer";
import { NO_SENDERS } from "../../src/delivery/senders";
import { laneWork } from "../../src/features";
import { MAX_QUEUED } from "../../src/features/conversations/conversation.limits";
import { Message } from "../../src/features/messages/message.entity";
import { HeldReason, MessageAuthor, MessageStatus } from "../../src/features/messages/message.enums";
import { CONVERSATION_LANE } from "../../src/features/messages/message-lanes";
import { addConversation } from "../support/conversations";
import { addLine, lineClient } from "../support/lines";
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

  test("long queues of other conversations do not keep a message from being sent", async () => {
    const { services } = gateway;
    const agentId = await firstAgentId(gateway);
    const paused = await addLine(gateway, { agentId });
    const conversations: string[] = [];
    for (const line of [paused, paused, paused, await addLine(gateway, { agentId })])
      conversations.push((await addConversation(gateway, { agentId, line: line.name })).id);
    const [one, two, three, last] = conversations as [string, string, string, string];
    await lineClient(gateway).pause(paused.id);
    const { next, held, sent } = await services.database.write(async (tx) => {
      for (const conversationId of conversations)
        await insertAll(
          tx,
          Message,
          Array.from({ length: conversationId === last ? 1 : MAX_QUEUED }, (_, i) => ({
            ...{ agentId, conversationId, fence: 1, createdAt: timestamp(), id: randomUUID() },
            ...{ sequence: i + 1, text: "Hello", status: MessageStatus.queued, author: MessageAuthor.api },
          })),
        );
      const context = { senders: NO_SENDERS, observer: NO_WORK_OBSERVER };
      const work = laneWork(services)(CONVERSATION_LANE);
      const { next } = await work.start(tx, [three, two, one, last], context);
      const held = (conversationId: string) =>
        tx.countBy(Message, { conversationId, heldReason: HeldReason.line_paused });
      return {
        next,
        held: [await held(one), await held(two), await held(three)],
        sent: await tx.countBy(Message, { conversationId: last, status: MessageStatus.delivered }),
      };
    });
    expect(sent).toBe(1);
    expect(held).toEqual([MAX_QUEUED, 1, MAX_QUEUED]);
    const now = timestamp();
    expect([...next].flatMap(([id, until]) => (until <= now ? [id] : []))).toEqual([two]);
  });

  test("work that is announced while a deliverer becomes idle is found without a sweep", async () => {
    const { database, lanes } = gateway.services;
    const nothing = { due: undefined, row: {} };
    const lookups = jest.spyOn(lanes, "nextDue").mockResolvedValue(nothing);
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
        return nothing;
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
