import { timestamp } from "../../src/common/time";
import { Lane } from "../../src/delivery/lane.entity";
import { Decision } from "../../src/features/decisions/decision.entity";
import { Event } from "../../src/features/events/event.entity";
import { Message } from "../../src/features/messages/message.entity";
import { Timer } from "../../src/features/timers/timer.entity";
import { addConversation, conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { type GatewayOptions, startGateway } from "../support/gateway";
import { type Sender, senderOn } from "../support/inbound";
import { addLine } from "../support/lines";
import { firstAgentId } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

jest.setTimeout(600_000);

const DELIVERS = { env: { DELIVERY_WORKERS: "1" } } satisfies GatewayOptions;

const reminder = {
  situation: "reminder",
  key: "reminder",
  unless: ["message.received", "handoff", "closed"],
};
const DOCUMENT = {
  situations: { placed: {}, reminder: {} },
  templates: { remind: "Please pay." },
  rules: [
    { id: "placed", on: "placed", do: [{ later: { ...reminder, after: "P1D" } }] },
    { id: "reminder", on: "reminder", do: [{ send: "remind" }] },
  ],
};

/** A due timer and an event that cancels it are handled one after the other. */
describeGateway(DELIVERS, (gateway, engine) => {
  let agentId: string;
  let sender: Sender;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    const { id } = await addLine(gateway, { agentId, name: "in" });
    sender = await senderOn(gateway, agentId, id);
    await publish(gateway, agentId, DOCUMENT);
  });

  const read: typeof gateway.services.database.read = (...args) => gateway.services.database.read(...args);

  /** Sets a timer of a new contact. */
  const setTimer = async () => {
    const address = `at ${Math.random()}`;
    const { id: conversationId, contactId } = await addConversation(gateway, {
      agentId,
      line: "in",
      address,
    });
    await decisionClient(gateway).decide({ type: "placed", conversationId });
    const timer = await read((reader) => reader.findOneByOrFail(Timer, { subjectId: contactId }));
    return { conversationId, address, timer };
  };
  const makeDue = async ({ id }: Timer, afterMs: number) => {
    await gateway.services.database.write(async (tx) => {
      const dueAt = timestamp(afterMs);
      await tx.update(Timer, { id }, { dueAt });
      await tx.update(Lane, { id }, { wakeAt: dueAt });
      gateway.services.lanes.announce(tx, { everywhere: true, from: dueAt });
    });
  };

  type Race = (about: Awaited<ReturnType<typeof setTimer>>) => Promise<unknown>;
  const RACES: [string, Race][] = [
    ["a reply", ({ address }) => sender.text(address, "I have paid")],
    ["a handoff", ({ conversationId }) => conversationClient(gateway).handOff(conversationId)],
    ["a close", ({ conversationId }) => conversationClient(gateway).close(conversationId)],
  ];

  /**
   * @param delayMs time until the timer is due (ms)
   * @param taken true if the event happens only after a process has taken the lane
   * @returns true if the timer fired
   */
  async function race(happens: Race, delayMs: number, taken: boolean): Promise<boolean> {
    const about = await setTimer();
    const { conversationId, timer } = about;
    if (taken) {
      await makeDue(timer, delayMs);
      await waitUntil(async () => {
        const lane = await read((reader) => reader.findOneBy(Lane, { id: timer.id }));
        return lane === null || lane.lease !== null;
      });
      await happens(about);
    } else await Promise.all([makeDue(timer, delayMs), happens(about)]);
    await waitUntil(async () => {
      const left = await read((reader) => reader.countBy(Timer, { id: timer.id }));
      return left === 0 && (await read((reader) => reader.countBy(Lane, { id: timer.id }))) === 0;
    });
    const decisions = await read((reader) => reader.findBy(Decision, { timerId: timer.id }));
    const canceled = await read((reader) =>
      reader.findBy(Event, { subject: `conversation:${conversationId}`, type: "timer.canceled" }),
    );
    const cancellations = canceled.filter(({ data }) => data.id === timer.id);
    expect(decisions.length + cancellations.length).toBe(1);
    const messages = await read((reader) =>
      reader.find(Message, { where: { conversationId }, order: { sequence: "ASC" } }),
    );
    const directions = messages.map(({ direction }) => direction);
    if (directions.includes("inbound" as never))
      expect(directions).toEqual(decisions.length === 1 ? ["outbound", "inbound"] : ["inbound"]);
    else expect(directions).toEqual(decisions.length === 1 ? ["outbound"] : []);
    return decisions.length === 1;
  }

  /**
   * Runs races, with the timer due at different times around the event, while two processes deliver.
   * @returns the number of timers that fired
   */
  async function races(rounds: number): Promise<number> {
    const database = { url: gateway.databaseUrl, drop: async () => undefined };
    const other = await startGateway(engine, { ...DELIVERS, database });
    try {
      let fired = 0;
      for (let round = 0; round < rounds; round += 5)
        for (const won of await Promise.all(
          Array.from({ length: 5 }, (_, i) => {
            const [, happens] = RACES[(round + i) % 5 < 3 ? 0 : (round + i) % 3] as [string, Race];
            return race(happens, ((round * 7 + i * 13) % 60) - 40, i % 2 === 1);
          }),
        ))
          fired += Number(won);
      return fired;
    } finally {
      await other.close();
    }
  }

  test("never both: a few races of replies, handoffs and closes against due timers", async () => {
    await races(15);
  });

  slowTest("never both: 30 races of replies, handoffs and closes against due timers", async () => {
    const fired = await races(30);
    // Otherwise, there would be no race.
    expect(fired).toBeGreaterThan(0);
    expect(fired).toBeLessThan(30);
  });

  test("a timer that several processes handle fires once, and so does a timer whose process was killed", async () => {
    const { services } = gateway;
    const senders = { take: () => true, giveBack: () => undefined };
    for (let round = 0; round < 10; round++) {
      const { timer, conversationId } = await setTimer();
      await services.database.write((tx) => tx.update(Timer, { id: timer.id }, { dueAt: timestamp(-1) }));
      const start = () =>
        services.database.write((tx) =>
          services.timerRunner.start(tx, [timer.id], { senders, observer: services.lanes.observing(tx) }),
        );
      const started = [await start(), await start(), await start(), await start()];
      // The first process is killed after it has taken the lane.
      const sends = started.slice(1).flatMap(({ dispatches }) => dispatches);
      expect(sends).toHaveLength(3);
      const { signal } = new AbortController();
      await Promise.all(sends.map(({ send }) => send({ number: 1, signal, mayLeave: () => true })));
      expect(await read((reader) => reader.countBy(Decision, { timerId: timer.id }))).toBe(1);
      expect(await read((reader) => reader.countBy(Message, { conversationId }))).toBe(1);
      expect(await read((reader) => reader.countBy(Lane, { id: timer.id }))).toBe(0);
    }
  });
});
