import { In } from "typeorm";
import { HOUR_MS, timestamp } from "../../src/common/time";
import { Decision, DecisionOutcome } from "../../src/features/decisions/decision.entity";
import { Event } from "../../src/features/events/event.entity";
import { Message } from "../../src/features/messages/message.entity";
import { MessageAuthor } from "../../src/features/messages/message.enums";
import { agentClient } from "../support/agents";
import { conversationClient } from "../support/conversations";
import { decisionClient, dispatchOf, publish } from "../support/decisions";
import { onEachEngine, type TestDatabase, testOnAny } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";
import { addSender, type Sender } from "../support/inbound";
import { answerWith } from "../support/model";
import { firstAgentId } from "../support/people";
import { type Received, Receiver } from "../support/receiver";
import { slowTest } from "../support/slow-test";
import { DELIVERING, describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const MAX_ANSWERS = 5;
const LOOP_DETECTED = "conversation.loop_detected";

const CONFIGURATION = {
  burstSeconds: 0,
  templates: { answer: "Thank you for your message." },
  rules: [
    {
      id: "model",
      on: "message.received",
      when: ['message.text == "model"'],
      do: [{ ask: { prompt: "answer", tags: ["asked"] } }],
    },
    {
      id: "person",
      on: "message.received",
      when: ['message.text == "person"'],
      do: [{ send: "answer" }, { addTags: ["impatient"] }, { handoff: "asked for a person" }],
      once: { per: "contact" as const, within: "P1D" },
    },
    { id: "tag", on: "message.received", when: ['message.text == "tag"'], do: [{ addTags: ["quiet"] }] },
  ],
  otherwise: [{ send: "answer" }],
};

/** Returns a name that no other test uses. */
const name = () => `contact-${Math.random()}`;

onEachEngine((engine) => {
  const anyTest = testOnAny(engine);
  let testDatabase: TestDatabase;
  let model: Receiver;
  let gateways: TestGateway[];
  let gateway: TestGateway;
  let agentId: string;
  let sender: Sender;
  beforeAll(async () => {
    testDatabase = await engine.createMigratedDatabase();
    model = await Receiver.start();
    model.reaction = (response) => answerWith(response, { text: "Hello", tags: ["asked"], handoff: false });
    const start = (signInOwner: boolean) =>
      startGateway(engine, {
        env: { MODEL_URL: `${model.url()}v1`, MODEL_NAME: "small" },
        database: { url: testDatabase.url, drop: async () => undefined },
        signInOwner,
      });
    gateway = await start(true);
    gateways = [gateway, await start(false)];
    agentId = await firstAgentId(gateway);
    await publish(gateway, agentId, CONFIGURATION);
    sender = await addSender(gateway, { agentId });
  });
  afterAll(async () => {
    for (const each of gateways) await each.close();
    await model.close();
    await testDatabase.drop();
  });

  const read: TestGateway["services"]["database"]["read"] = (query) => gateway.services.database.read(query);
  const write: TestGateway["services"]["database"]["write"] = (work) => gateway.services.database.write(work);
  /** Lets a process make a decision or ask a model for it. */
  const run = async (by: TestGateway, decisionId: string) => (await dispatchOf(by, decisionId))?.();
  const decisionOf = (id: string) => read((reader) => reader.findOneByOrFail(Decision, { id }));
  /** Receives a message, and lets the agent decide about it. */
  async function decide(from: string, text = "Hello", by = sender): Promise<Decision> {
    const { body } = await by.text(from, text);
    await run(gateway, body.decisionId);
    return decisionOf(body.decisionId);
  }
  const outcomes = async (times: number, from: string, by = sender) => {
    const all: (DecisionOutcome | null)[] = [];
    for (let i = 0; i < times; i++) all.push((await decide(from, "Hello", by)).outcome);
    return all;
  };
  const answers = (decisionIds: readonly string[]) =>
    read((reader) =>
      reader.countBy(Message, { decisionId: In([...decisionIds]), author: MessageAuthor.agent }),
    );
  const loopsOf = async (contactId: string | null) => {
    const events = await read((reader) => reader.findBy(Event, { type: LOOP_DETECTED }));
    return events.filter(({ data }) => JSON.stringify(data).includes(`${contactId}`));
  };
  const { send, silent, handoff } = DecisionOutcome;
  const FIVE = Array(MAX_ANSWERS).fill(send);

  test.each(["Hello", "model"])(
    "exactly five of 12 concurrent messages (%s) on as many lines and in two processes are answered",
    async (text) => {
      const from = name();
      const senders: Sender[] = [];
      for (let i = 0; i < 12; i++) senders.push(await addSender(gateway, { agentId }));
      const received = await Promise.all(senders.map((each) => each.text(from, text)));
      const ids: string[] = received.map(({ body }) => body.decisionId);
      // A model is asked between two transactions.
      for (const _ of ["rules", "model"])
        await Promise.all(ids.flatMap((id) => gateways.map((each) => run(each, id))));
      const decisions = await Promise.all(ids.map(decisionOf));
      expect(decisions.map(({ outcome }) => outcome).sort()).toEqual([...FIVE, ...Array(7).fill(silent)]);
      expect(await answers(ids)).toBe(MAX_ANSWERS);
      const [decision] = decisions;
      expect(await loopsOf(decision?.contactId ?? null)).toHaveLength(1);
      for (const { explanation, outcome } of decisions)
        expect(explanation?.value.gates).toEqual([
          { name: "handler", passed: true },
          { name: "loop", passed: outcome === send },
        ]);
    },
  );

  anyTest("after five automatic answers, nothing is sent, and there is one event", async () => {
    const from = name();
    expect(await outcomes(MAX_ANSWERS, from)).toEqual(FIVE);
    const asked = model.received.length;
    for (const text of ["Hello", "model", "tag"]) expect((await decide(from, text)).outcome).toBe(silent);
    expect(model.received).toHaveLength(asked);
    const { id, contactId, conversationId } = await decide(from);
    const { body } = await decisionClient(gateway).find(id);
    expect(body.explanation).toMatchObject({
      gates: [
        { name: "handler", passed: true },
        { name: "loop", passed: false },
      ],
      effects: [{ kind: "send", status: "skipped", error: { code: "loop" } }],
    });
    const loops = await loopsOf(contactId);
    expect(loops).toMatchObject([{ subject: `conversation:${conversationId}` }]);
    const { body: event } = await gateway.rest("GET", `/agent/events?types=${LOOP_DETECTED}&limit=100`);
    expect(event).toContainEqual(expect.objectContaining({ id: loops[0]?.id, type: LOOP_DETECTED }));
  });

  anyTest("while the gate is closed, only effects that send are skipped", async () => {
    const from = name();
    await outcomes(MAX_ANSWERS, from);
    const first = await decide(from, "person");
    expect(first).toMatchObject({ outcome: handoff, ruleId: "person" });
    expect(first.explanation?.value.effects).toMatchObject([
      { kind: "send", status: "skipped" },
      { kind: "addTags", status: "done" },
      { kind: "handoff", status: "done" },
    ]);
    await conversationClient(gateway).release(`${first.conversationId}`);
    expect((await decide(from, "person")).outcome).toBe(handoff);
  });

  anyTest("the hour slides, and the next loop is a new event", async () => {
    const from = name();
    await outcomes(MAX_ANSWERS, from);
    const { contactId, conversationId } = await decide(from);
    const age = { conversationId: `${conversationId}`, author: MessageAuthor.agent };
    const [oldest] = await read((reader) => reader.find(Message, { where: age, order: { id: "ASC" } }));
    await write((tx) => tx.update(Message, { id: oldest?.id ?? "" }, { createdAt: timestamp(-HOUR_MS) }));
    expect(await outcomes(2, from)).toEqual([send, silent]);
    expect(await loopsOf(contactId)).toHaveLength(1);
    await write(async (tx) => {
      await tx.update(Message, age, { createdAt: timestamp(-HOUR_MS) });
      await tx.query("update contact_address set loop_detected_at = $1 where contact_id = $2", [
        timestamp(-HOUR_MS),
        contactId,
      ]);
    });
    expect(await outcomes(MAX_ANSWERS + 2, from)).toEqual([...FIVE, silent, silent]);
    expect(await loopsOf(contactId)).toHaveLength(2);
  });

  anyTest("only automatic answers count, and only they are held back", async () => {
    const from = name();
    const { body } = await sender.text(from, "Hello");
    const { conversationId } = body;
    const conversations = conversationClient(gateway);
    const unprompted = () => decisionClient(gateway).decide({ type: "order.shipped", conversationId });
    for (let i = 0; i < MAX_ANSWERS; i++) {
      expect((await unprompted()).body.outcome).toBe(send);
      await conversations.send(conversationId, "from a program");
      await conversations.send(conversationId, "from a person", { token: gateway.owner });
    }
    expect(await outcomes(MAX_ANSWERS + 1, from)).toEqual([...FIVE, silent]);
    const { body: decision } = await unprompted();
    expect(decision.explanation.gates).toEqual([
      { name: "declared", passed: false },
      { name: "handler", passed: true },
    ]);
    expect(decision.outcome).toBe(send);
    const { body: sent } = await conversations.send(conversationId, "from a person", {
      token: gateway.owner,
    });
    expect(sent.data.sendToConversation.status).toBe("queued");
  });

  anyTest("answers to an address count on all lines, even after its conversation was closed", async () => {
    const from = name();
    const other = await addSender(gateway, { agentId });
    const { id: decisionId, conversationId } = await decide(from);
    // As if it had been sent.
    await write((tx) => tx.update(Message, { decisionId, author: MessageAuthor.agent }, { attempts: 1 }));
    await conversationClient(gateway).close(`${conversationId}`);
    expect(await outcomes(3, from)).toEqual([send, send, send]);
    expect(await outcomes(2, from, other)).toEqual([send, silent]);
    expect((await decide(name())).outcome).toBe(send);
  });

  anyTest("answers that were canceled before they were sent do not count", async () => {
    const from = name();
    await outcomes(MAX_ANSWERS - 1, from);
    const { contactId, conversationId } = await decide(from);
    const { body } = await gateway.rest("GET", `/agent/conversations/${conversationId}/messages`);
    for (const { id, direction } of body)
      if (direction === "outbound")
        expect((await gateway.rest("POST", `/messages/${id}/cancel`)).status).toBe(200);
    expect(await outcomes(MAX_ANSWERS, from)).toEqual(FIVE);
    expect(await loopsOf(contactId)).toEqual([]);
  });

  anyTest("messages that callers submit as received also count", async () => {
    const contact = { address: { kind: "local", address: name() } };
    const all: string[] = [];
    for (let i = 0; i < MAX_ANSWERS + 1; i++) {
      const { body } = await decisionClient(gateway).decide({ type: "message.received", contact });
      all.push(body.outcome);
    }
    expect(all).toEqual([...FIVE, silent]);
  });

  anyTest("dry runs show the gate, and replays have the same result", async () => {
    const from = name();
    await outcomes(MAX_ANSWERS, from);
    const { id, conversationId, contactId } = await decide(from);
    const dry = async () =>
      (await decisionClient(gateway).decide({
        type: "message.received",
        conversationId: `${conversationId}`,
        dryRun: true,
      })) as { body: { explanation: object } };
    expect((await dry()).body.explanation).toMatchObject({
      gates: [{ name: "handler" }, { name: "loop", passed: false }],
      effects: [{ kind: "send", status: "skipped", error: { code: "loop" } }],
    });
    expect(await loopsOf(contactId)).toHaveLength(1);
    // Much later, when an answer would be sent.
    await write((tx) =>
      tx.update(Message, { conversationId: `${conversationId}` }, { createdAt: timestamp(-HOUR_MS) }),
    );
    const { configurationVersion: version, explanation, snapshot } = await decisionOf(id);
    const replayed = async () => {
      const { body } = await gateway.rest("POST", `/agent/decisions/${id}/replay`, {
        body: { against: { version } },
      });
      return body;
    };
    const withoutNulls = (value: unknown) =>
      JSON.stringify(value, (_, each) => (each === null || each === false ? undefined : each));
    const replay = await replayed();
    expect(replay.status).toBe("same");
    expect(withoutNulls(replay.explanation)).toBe(withoutNulls(explanation));
    const { answers: _, ...old } = { ...snapshot };
    await write((tx) => tx.update(Decision, { id }, { snapshot: old as never }));
    const before = await replayed();
    expect(before.status).toBe("same");
    expect(before.explanation.gates).toEqual([{ name: "handler", passed: true }]);
  });
});

describeGateway({ engine: "any", env: DELIVERING }, (gateway) => {
  slowTest(
    "two agents that answer each other by webhook automatically stop after five answers each",
    async () => {
      const bridge = await Receiver.start();
      try {
        const numbers = ["+4915112345601", "+4915112345602"] as const;
        const agentIds = [await firstAgentId(gateway), (await agentClient(gateway).add()).id];
        const senders: Sender[] = [];
        for (const [i, agentId] of agentIds.entries()) {
          await publish(gateway, agentId, CONFIGURATION);
          senders.push(await addSender(gateway, { agentId, url: `${bridge.url()}${i}` }));
        }
        const pass = async ({ url, body }: Received) => {
          const from = Number(url.slice(1));
          await senders[1 - from]?.text(`${numbers[from]}`, JSON.parse(body).text);
        };
        bridge.reaction = (response) => {
          response.end();
          const last = bridge.received.at(-1);
          if (last !== undefined) void pass(last);
        };
        await senders[0]?.text(numbers[1], "Hello");
        const loops = () =>
          gateway.services.database.read((reader) => reader.countBy(Event, { type: LOOP_DETECTED }));
        await waitUntil(async () => (await loops()) > 0);
        const urls = bridge.received.map(({ url }) => url);
        expect(urls).toEqual(Array(MAX_ANSWERS).fill(["/0", "/1"]).flat());
      } finally {
        await bridge.close();
      }
    },
  );
});
