import { v7 as uuid } from "uuid";
import { HOUR_MS, timestamp } from "../../src/common/time";
import { Lane } from "../../src/delivery/lane.entity";
import { GatewayError } from "../../src/errors";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Decision } from "../../src/features/decisions/decision.entity";
import { DecisionMaker } from "../../src/features/decisions/decision-maker";
import { Event as StoredEvent } from "../../src/features/events/event.entity";
import { Message } from "../../src/features/messages/message.entity";
import { MessageAuthor, MessageStatus } from "../../src/features/messages/message.enums";
import { Timer } from "../../src/features/timers/timer.entity";
import { addContact, contactClient } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { decisionClient, dispatchOf, publish } from "../support/decisions";
import { whileDelivering } from "../support/deliver";
import { startGateway, type TestGateway } from "../support/gateway";
import { addWebhookLine } from "../support/lines";
import { scrape } from "../support/metrics";
import { firstAgentId } from "../support/people";
import { Receiver } from "../support/receiver";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const TEMPLATES = { back: "I am back", sorry: "{{ situation.data.errorCode }}" };
const ON_RELEASE = { id: "back", on: "conversation.released", do: [{ send: "back" }] };
const ON_FAILURE = { id: "failed", on: "message.failed", do: [{ send: "sorry" }, { addTags: ["failed"] }] };
const BOTH = {
  templates: TEMPLATES,
  rules: [ON_RELEASE, ON_FAILURE],
  otherwise: [{ handoff: "no rule" }],
};

describeGateway({ engine: "any", env: { ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" } }, (gateway, engine) => {
  let agentId: string;
  let receiver: Receiver;
  let line: { id: string; name: string };
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    receiver = await Receiver.start();
    receiver.reaction = (response) => response.writeHead(400).end();
    line = await addWebhookLine(gateway, { agentId, url: receiver.url() });
  });
  afterAll(() => receiver.close());

  const read: TestGateway["services"]["database"]["read"] = (query) => gateway.services.database.read(query);
  const write = (statement: string, parameters: unknown[]) =>
    gateway.services.database.write((tx) => tx.query(statement, parameters));

  const open = async (contactId: string, lineName?: string) => {
    const { body } = await conversationClient(gateway).open({ contact: { id: contactId }, line: lineName });
    return { id: body.data.openConversation.conversation.id as string, contactId };
  };
  /** Opens a conversation with a new contact, by default on the local line. */
  const conversation = async (lineName?: string) => {
    const address =
      lineName === undefined
        ? { kind: AddressKind.local, address: `at ${Math.random()}` }
        : { kind: AddressKind.phone, address: `+49151${String(Math.random()).slice(2, 10)}` };
    const contactId = await addContact(gateway, { agentId, addresses: [address] });
    return open(contactId, lineName);
  };
  const released = async () => {
    const opened = await conversation();
    await conversationClient(gateway).handOff(opened.id);
    await conversationClient(gateway).release(opened.id);
    return opened;
  };
  const decisionsAbout = (conversationId: string) =>
    read((reader) => reader.find(Decision, { where: { conversationId }, order: { id: "ASC" } }));
  const onlyDecision = async ({ id }: { id: string }): Promise<Decision> => {
    const decisions = await decisionsAbout(id);
    expect(decisions).toHaveLength(1);
    return decisions[0] as Decision;
  };
  const messagesIn = (conversationId: string) =>
    read((reader) => reader.find(Message, { where: { conversationId }, order: { sequence: "ASC" } }));
  const send = async (conversationId: string) =>
    (await conversationClient(gateway).send(conversationId, "Hello")).body.data.sendToConversation
      .id as string;

  /** Reports a message as failed, as if the webhook line had sent it. */
  const reportFailed = async (id = "") => {
    const change = "status = 'sent', error_code = null, attempts = 1, line_id = $1";
    await write(`update message set ${change} where id = $2`, [line.id, id]);
    const { receipts } = gateway.services;
    await receipts.apply({ lineId: line.id, message: { id }, status: MessageStatus.failed });
  };

  /** Waits until the gateway has nothing left to do. */
  const settle = () =>
    whileDelivering(gateway, () =>
      waitUntil(async () => {
        await write("update lane set wake_at = $1 where wake_at > $1 and lease is null", [timestamp()]);
        gateway.services.lanes.notify();
        return read(async (reader) => (await reader.count(Lane)) === 0);
      }),
    );

  test("a release raises a decision, which a delivering process makes", async () => {
    const version = await publish(gateway, agentId, BOTH);
    const opened = await released();
    const raised = await onlyDecision(opened);
    expect(raised).toMatchObject({
      contactId: opened.contactId,
      situation: { type: "conversation.released", data: { reason: "request" } },
      state: "deciding",
      outcome: null,
      explanation: null,
      configurationVersion: version,
    });
    expect(await messagesIn(opened.id)).toEqual([]);
    // Another version is live when the decision is made.
    await publish(gateway, agentId, { templates: TEMPLATES });
    const count = async () =>
      (await scrape(gateway)).total("gateway_decisions_total", { decider: "rules", outcome: "send" });
    const before = await count();
    await settle();
    const { body } = await decisionClient(gateway).find(raised.id);
    expect(body).toMatchObject({
      configurationVersion: version,
      decider: "rules",
      state: "decided",
      outcome: "send",
      ruleId: "back",
      explanation: {
        version,
        gates: [{ name: "handler", passed: true }],
        effects: [{ kind: "send", status: "done" }],
      },
    });
    expect(await messagesIn(opened.id)).toMatchObject([
      { text: "I am back", author: "agent", status: "delivered", decisionId: raised.id },
    ]);
    expect(await count()).toBe(before + 1);
  });

  test.each([
    ["no rule is about it, so nothing is stored", [ON_FAILURE], []],
    ["a rule for all situations decides", [{ ...ON_RELEASE, on: "*" }], ["send"]],
    ["no rule matches, and `otherwise` does not apply", [{ ...ON_RELEASE, when: ["false"] }], ["silent"]],
  ])("after a release, %s", async (_, rules, outcomes) => {
    await publish(gateway, agentId, { ...BOTH, templates: { ...TEMPLATES, sorry: "-" }, rules });
    const lanes = () => read((reader) => reader.count(Lane));
    const before = await lanes();
    const opened = await released();
    expect(await lanes()).toBe(before + outcomes.length);
    await settle();
    expect((await decisionsAbout(opened.id)).map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  test("a conversation in which the agent already answers is not released", async () => {
    await publish(gateway, agentId, BOTH);
    const opened = await conversation();
    await conversationClient(gateway).release(opened.id);
    expect(await decisionsAbout(opened.id)).toEqual([]);
  });

  test.each<[string, string, (messageId: string) => Promise<unknown>]>([
    ["is rejected", "rejected", async () => undefined],
    [
      "expires",
      "expired",
      (id) => write("update message set expires_at = $1 where id = $2", [timestamp(-1), id]),
    ],
    ["is reported as failed", "rejected", (id) => reportFailed(id)],
  ])(
    "a message of a conversation that %s raises a decision, whose own message raises none",
    async (_, errorCode, fail) => {
      await publish(gateway, agentId, BOTH);
      const opened = await conversation(line.name);
      const messageId = await send(opened.id);
      await fail(messageId);
      await settle();
      expect(await onlyDecision(opened)).toMatchObject({
        contactId: opened.contactId,
        situation: { type: "message.failed", data: { messageId, errorCode } },
        outcome: "send",
        ruleId: "failed",
      });
      expect(await messagesIn(opened.id)).toMatchObject([
        { id: messageId, status: "failed", errorCode },
        { text: errorCode, status: "failed", errorCode: "rejected" },
      ]);
      const { body } = await contactClient(gateway).find({ id: opened.contactId });
      expect(body.data.contact.tags).toEqual(["failed"]);
    },
  );

  test("a timer for a failed message waits at least a minute, so that its message causes no loop", async () => {
    const later = { situation: "retry", at: "2020-01-01T00:00:00Z", key: "retry" };
    const rules = [{ id: "failed", on: "message.failed", do: [{ later }] }];
    await publish(gateway, agentId, { situations: { retry: {} }, rules });
    const { id, contactId } = await conversation(line.name);
    await send(id);
    const timers = () => read((reader) => reader.findBy(Timer, { subjectId: contactId }));
    await whileDelivering(gateway, () => waitUntil(async () => (await timers()).length === 1));
    const [decision, [timer]] = [await onlyDecision({ id }), await timers()];
    expect(Date.parse(timer?.dueAt ?? "") - Date.parse(decision.createdAt)).toBeGreaterThanOrEqual(60_000);
    await write("delete from timer where id = $1", [timer?.id]);
    await write("delete from lane where id = $1", [timer?.id]);
  });

  describe("resend", () => {
    /** Sends a message that fails on the webhook line, to a contact with another address. */
    const failing = async (resend: object, more: object = {}) => {
      const rules = [{ id: "again", on: "message.failed", do: [resend] }];
      await publish(gateway, agentId, { rules, otherwise: [], ...more });
      const phone = `+49151${String(Math.random()).slice(2, 10)}`;
      const addresses = [
        { kind: AddressKind.phone, address: phone },
        { kind: AddressKind.local, address: `at ${phone}` },
      ];
      const contactId = await addContact(gateway, { agentId, addresses });
      const { id } = await open(contactId, line.name);
      const messageId = await send(id);
      await settle();
      return { id, contactId, messageId };
    };
    /** Submits the situation of a failed message. */
    const failedAgain = (messageId: string | undefined, conversationId: string) =>
      decisionClient(gateway).decide({ type: "message.failed", data: { messageId }, conversationId });
    const sentTo = (contactId: string) =>
      read((reader) =>
        reader
          .createQueryBuilder(Message, "message")
          .where("message.conversation_id IN (SELECT id FROM conversation WHERE contact_id = :contactId)", {
            contactId,
          })
          .orderBy("message.id")
          .getMany(),
      );

    test("sends the text of a failed message again on another line, once", async () => {
      const { id, contactId, messageId } = await failing({ resend: true, line: ["nowhere", "main"] });
      const [failed, again, ...more] = await sentTo(contactId);
      expect(failed).toMatchObject({ id: messageId, status: "failed", resentAs: again?.id });
      expect(again).toMatchObject({ text: "Hello", status: "delivered", resentAs: null });
      expect(more).toEqual([]);
      const { body } = await decisionClient(gateway).find((await onlyDecision({ id })).id);
      expect(body.explanation.effects).toMatchObject([
        {
          kind: "send",
          status: "done",
          text: "Hello",
          line: "main",
          resendOf: messageId,
          messageId: again?.id,
        },
      ]);
      const { body: repeated } = await failedAgain(messageId, id);
      expect(repeated).toMatchObject({
        outcome: "failed",
        explanation: { effects: [{ status: "failed", error: { code: "conflict" }, resendOf: messageId }] },
      });
      const { body: replayed } = await gateway.graphql(
        `{ replayDecision(id: "${body.id}", against: { version: ${body.configurationVersion} }) { status } }`,
      );
      expect(replayed.data.replayDecision.status).toBe("same");
    });

    test("is held back by the policy only if the failed message could be", async () => {
      const from = timestamp(2 * HOUR_MS).slice(11, 16);
      const policy = { zone: "UTC", windows: [{ from, to: timestamp(3 * HOUR_MS).slice(11, 16) }] };
      const { id, contactId, messageId } = await failing({ resend: true, line: "main" }, { policy });
      expect((await sentTo(contactId))[1]).toMatchObject({ status: "delivered", isUrgent: true });
      await gateway.services.database.write((tx) =>
        tx.update(Message, { id: messageId }, { author: MessageAuthor.agent, resentAs: null }),
      );
      const { body } = await failedAgain(messageId, id);
      expect(body.explanation.effects).toMatchObject([{ status: "done", gate: { name: "window" } }]);
      await gateway.rest("POST", `/messages/${body.explanation.effects[0].messageId}/cancel`);
    });

    test("does not try again if the second message fails after its decision was deleted", async () => {
      const { id, contactId } = await failing({ resend: true });
      const again = (await sentTo(contactId))[1]?.id;
      await write("delete from decision where conversation_id = $1", [id]);
      await reportFailed(again);
      await settle();
      expect((await sentTo(contactId))[1]).toMatchObject({ status: "failed", errorCode: "rejected" });
      expect(await decisionsAbout(id)).toEqual([]);
    });

    test("does not try again if the second message also fails", async () => {
      const { contactId } = await failing({ resend: true });
      const messages = await sentTo(contactId);
      expect(messages).toMatchObject([
        { status: "failed", resentAs: messages[1]?.id },
        { status: "failed", text: "Hello", resentAs: null },
      ]);
      const { id: other } = await conversation();
      const decided = await failedAgain(messages[1]?.id, other);
      expect(decided.body.explanation.effects).toMatchObject([{ error: { code: "not_found" } }]);
    });
  });

  test("messages outside of conversations, and agents without a rule for it, raise nothing", async () => {
    const count = () => read((reader) => reader.count(Decision));
    await publish(gateway, agentId, BOTH);
    const { body } = await gateway.rest("POST", "/messages", { body: { message: "Late" } });
    await write("update message set expires_at = $1 where id = $2", [timestamp(-1), body.id]);
    const before = await count();
    await settle();
    await publish(gateway, agentId, { ...BOTH, rules: [ON_RELEASE], templates: { back: "-" } });
    const opened = await conversation(line.name);
    await send(opened.id);
    await settle();
    expect(await messagesIn(opened.id)).toMatchObject([{ status: "failed" }]);
    expect(await count()).toBe(before);
  });

  test.each<[string, (about: { id: string; contactId: string }) => Promise<unknown>, object]>([
    [
      "was closed",
      ({ id }) => conversationClient(gateway).close(id),
      { outcome: "stale", explanation: { value: { gates: [{ name: "open", passed: false }], effects: [] } } },
    ],
    [
      "was handed off again",
      ({ id }) => conversationClient(gateway).handOff(id),
      {
        outcome: "silent",
        explanation: {
          value: {
            gates: [{ name: "handler", passed: false }],
            effects: [{ status: "skipped", error: { code: "handed_off" } }],
          },
        },
      },
    ],
    [
      "lost its contact to an erasure",
      ({ contactId }) => contactClient(gateway).erase(contactId),
      { outcome: "stale", explanation: null, snapshot: null },
    ],
  ])("a decision about a conversation that %s in the meantime does nothing", async (_, change, expected) => {
    await publish(gateway, agentId, BOTH);
    const opened = await released();
    await change(opened);
    await settle();
    expect(await onlyDecision(opened)).toMatchObject({ state: "decided", failedEffects: 0, ...expected });
    expect(await messagesIn(opened.id)).toEqual([]);
  });

  test("two processes that run the same decisions make each of them once", async () => {
    await publish(gateway, agentId, BOTH);
    const database = { url: gateway.databaseUrl, drop: async () => undefined };
    const other = await startGateway(engine, { database, signInOwner: false });
    try {
      const opened = await Promise.all(Array.from({ length: 20 }, released));
      const due = opened.flatMap((each) =>
        [gateway, other].map(async (process) => dispatchOf(process, (await onlyDecision(each)).id)),
      );
      const results = await Promise.all((await Promise.all(due)).map((send) => send?.()));
      for (const result of results) expect(result?.outcome).toBe("accepted");
      for (const { id } of opened) expect(await messagesIn(id)).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  test("a decision that is due twice in a batch is made once", async () => {
    await publish(gateway, agentId, {
      ...BOTH,
      rules: [{ ...ON_RELEASE, do: [...ON_RELEASE.do, { close: true }] }],
    });
    const opened = await released();
    const { id } = await onlyDecision(opened);
    const sends = [await dispatchOf(gateway, id), await dispatchOf(gateway, id)];
    await Promise.all(sends.map((send) => send?.()));
    expect(await onlyDecision(opened)).toMatchObject({ state: "decided", outcome: "send" });
    const made = await read((reader) => reader.findBy(StoredEvent, { agentId, type: "decision.made" }));
    expect(made.filter(({ data }) => JSON.stringify(data).includes(id))).toHaveLength(1);
  });

  test("decisions that are due together share a transaction, but each can be rejected alone", async () => {
    const once = { ...ON_RELEASE, once: { per: "contact", within: "P1D" } };
    await publish(gateway, agentId, {
      ...BOTH,
      rules: [once],
      templates: { back: "I am back" },
      otherwise: [],
    });
    const opened = await Promise.all([released(), released(), released()]);
    const [twice] = opened as [{ id: string }, ...{ id: string }[]];
    await conversationClient(gateway).handOff(twice.id);
    await conversationClient(gateway).release(twice.id);
    const decisions = async () => (await Promise.all(opened.map(({ id }) => decisionsAbout(id)))).flat();
    const sends = await Promise.all((await decisions()).map(({ id }) => dispatchOf(gateway, id)));
    const resume = jest.spyOn(DecisionMaker.prototype, "resume");
    let taken = 0;
    const take = jest.spyOn(gateway.services.agentQueues, "take").mockImplementation(async () => ++taken < 3);
    try {
      await Promise.all(sends.map((send) => send?.()));
      expect(resume.mock.calls.length).toBeLessThan(sends.length);
    } finally {
      resume.mockRestore();
      take.mockRestore();
    }
    expect(await decisions()).toMatchObject([
      { outcome: "send", ruleId: "back" },
      // The rule has already matched for the contact.
      { outcome: "silent", ruleId: null },
      { outcome: "send" },
      { state: "failed", explanation: { value: { error: { code: "queue_full" } } } },
    ]);
  });

  test.each(["before it was made", "after it was made"])(
    "a decision whose process was killed %s is made once, by another",
    async (when) => {
      await publish(gateway, agentId, BOTH);
      const opened = await released();
      const { id } = await onlyDecision(opened);
      const lane = { id, agentId, kind: "decision" as never, lineId: null };
      const lost = { ...lane, wakeAt: timestamp(), needsSender: true };
      const lease = { lease: uuid(), leaseUntil: timestamp(-1) };
      if (when === "after it was made") await settle();
      await gateway.services.database.write((tx) => tx.save(Lane, { ...lost, ...lease }));
      await settle();
      expect(await onlyDecision(opened)).toMatchObject({ state: "decided", outcome: "send" });
      expect(await messagesIn(opened.id)).toHaveLength(1);
    },
  );

  slowTest.each<[string, Error[], object]>([
    ["is temporary", [new GatewayError("unavailable")], { state: "decided", outcome: "send" }],
    [
      "is permanent",
      [new GatewayError("queue_full", "It is full.")],
      {
        state: "failed",
        outcome: null,
        explanation: { value: { error: { code: "queue_full", message: "It is full." } } },
      },
    ],
    [
      "is a defect",
      [new Error("a secret of the gateway")],
      {
        state: "failed",
        explanation: {
          value: { error: { code: "internal_error", message: "The decision failed unexpectedly." } },
        },
      },
    ],
  ])("a failure that %s has the right result", async (kind, errors, expected) => {
    await publish(gateway, agentId, BOTH);
    const opened = await released();
    const logged = gateway.log().length;
    const { agentQueues } = gateway.services;
    const take = agentQueues.take.bind(agentQueues);
    const failing = jest.spyOn(agentQueues, "take").mockImplementation((agent) => {
      const error = errors.shift();
      return error === undefined ? take(agent) : Promise.reject(error);
    });
    try {
      await settle();
    } finally {
      failing.mockRestore();
    }
    expect(errors).toEqual([]);
    const decision = await onlyDecision(opened);
    expect(decision).toMatchObject(expected);
    expect(JSON.stringify(decision)).not.toContain("secret");
    expect(gateway.log().slice(logged).includes("a decision failed")).toBe(kind === "is a defect");
    const { body } = await decisionClient(gateway).find(decision.id);
    expect(body.explanation.error).toEqual((decision.explanation?.value.error ?? undefined) as never);
    expect(await messagesIn(opened.id)).toHaveLength(decision.state === "failed" ? 0 : 1);
  });
});
