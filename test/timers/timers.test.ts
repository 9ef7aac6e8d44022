import { DAY_MS, timestamp } from "../../src/common/time";
import { Lane } from "../../src/delivery/lane.entity";
import { Contact } from "../../src/features/contacts/contact.entity";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Decision, DecisionState } from "../../src/features/decisions/decision.entity";
import { Event } from "../../src/features/events/event.entity";
import { Message } from "../../src/features/messages/message.entity";
import { Timer } from "../../src/features/timers/timer.entity";
import { addContact, contactClient } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { type DecisionBody, decisionClient, publish } from "../support/decisions";
import type { GatewayOptions } from "../support/gateway";
import { addMailSender, type Sender, senderOn } from "../support/inbound";
import { addLine, lineClient } from "../support/lines";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const DELIVERS = { env: { DELIVERY_WORKERS: "1" } } satisfies GatewayOptions;

const later = (more: object = {}) => ({
  later: {
    situation: "payment.reminder",
    after: "PT24H",
    key: "pay-{{ situation.data.orderId }}",
    data: { orderId: "{{ situation.data.orderId }}", attempt: "{{ 1 }}" },
    ...more,
  },
});
const on = (type: string, ...effects: object[]) => ({ id: type, on: type, do: effects });
const ORDER = { orderId: "string" };
const DATA = { orderId: "{{ situation.data.orderId }}" };
/** Situations of timers whose effect stops another timer, and the reason in its event. */
const STOPPING: [type: string, effect: object, reason: string][] = [
  ["cancels", { cancelTimer: "pay-A1" }, "effect"],
  ["replaces", later(), "replaced"],
  ["hands.off", { handoff: "asked" }, "handoff"],
];
/** Situations that set a timer for another situation, which has an effect after its message. */
const FIRST: [type: string, effect: object][] = [
  ...STOPPING.map(([type, effect]): [string, object] => [type, effect]),
  ["closes", { close: true }],
];
const DOCUMENT = {
  situations: {
    ...{ placed: ORDER, paid: ORDER, soon: ORDER, always: ORDER, wrong: ORDER, far: ORDER, past: ORDER },
    ...{ canceled: ORDER, chained: ORDER, closing: ORDER, both: ORDER },
    "payment.reminder": { orderId: "string", attempt: "int" },
    ...Object.fromEntries(FIRST.flatMap(([type]) => [type, `${type}.later`].map((each) => [each, ORDER]))),
  },
  templates: { remind: "Please pay {{ situation.data.orderId }}." },
  rules: [
    on("placed", later({ unless: ["message.received", "handoff", "closed"] })),
    on("both", later(), later({ key: "other" })),
    on("always", later({ unless: ["handoff"] })),
    on("soon", later({ after: "PT48H" })),
    on("past", later({ after: undefined, at: "2020-01-01T00:00:00Z" })),
    on("far", later({ after: undefined, at: "9999-01-01T00:00:00Z" })),
    on("wrong", later({ data: { orderId: "x", attempt: "{{ situation.data.orderId }}" } })),
    on("paid", { cancelTimer: "pay-{{ situation.data.orderId }}" }),
    on("closing", later({ unless: ["closed"] }), { close: true }),
    on(
      "chained",
      later({ situation: "chained", data: { orderId: "c" }, after: undefined, at: "2020-01-01T00:00:00Z" }),
    ),
    on("payment.reminder", { send: "remind" }),
    ...FIRST.flatMap(([type, effect]) => [
      on(`${type}.later`, later({ situation: type, key: "first", data: DATA })),
      on(type, { send: "remind" }, effect),
    ]),
  ],
};

describeGateway({ ...DELIVERS, engine: "any" }, (gateway) => {
  let agentId: string;
  let lineId: string;
  let sender: Sender;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    lineId = (await addLine(gateway, { agentId, name: "in" })).id;
    sender = await senderOn(gateway, agentId, lineId);
    await publish(gateway, agentId, DOCUMENT);
  });

  const read: typeof gateway.services.database.read = (...args) => gateway.services.database.read(...args);
  const decide = async (type: string, about: DecisionBody = {}) => {
    const { status, body } = await decisionClient(gateway).decide({
      type,
      data: { orderId: "A1" },
      ...about,
    });
    expect([status, body]).toEqual([about.dryRun ? 200 : 201, expect.anything()]);
    return body;
  };
  /** Adds a contact with a conversation on its line. */
  const meet = async () => {
    const address = `at ${Math.random()}`;
    const { id, contactId } = await addConversation(gateway, { agentId, line: "in", address });
    return { conversationId: id, contactId, address };
  };
  const timersOf = (subjectId: string) => read((reader) => reader.findBy(Timer, { subjectId }));
  const laneOf = (id: string) => read((reader) => reader.findOneBy(Lane, { id }));
  const makeDue = async (...timers: readonly Timer[]) => {
    await gateway.services.database.write(async (tx) => {
      const past = timestamp(-1);
      for (const { id } of timers) {
        await tx.update(Timer, { id }, { dueAt: past });
        await tx.update(Lane, { id }, { wakeAt: past });
      }
    });
    gateway.services.lanes.notify();
  };
  const firedBy = (timerId: string) => read((reader) => reader.findBy(Decision, { timerId }));
  const fired = async (timerId: string): Promise<Decision> => {
    await waitUntil(async () => (await firedBy(timerId)).length > 0);
    return (await firedBy(timerId))[0] as Decision;
  };
  const sentTo = (conversationId: string) =>
    read((reader) => reader.findBy(Message, { conversationId, direction: "outbound" as never }));
  const eventsOf = async (timer: Timer) => {
    const events = await read((reader) =>
      reader.find(Event, { where: { agentId }, order: { position: "ASC" } }),
    );
    return events.filter(({ data, type }) => data.id === timer.id && type.startsWith("timer."));
  };
  const set = async (type: string, about: DecisionBody, subjectId: string): Promise<Timer> => {
    await decide(type, about);
    const [timer] = await timersOf(subjectId);
    return timer as Timer;
  };

  test("a timer submits its situation to the agent once, about the same contact and conversation", async () => {
    const { conversationId, contactId } = await meet();
    const decision = await decide("placed", { conversationId });
    const timers = await timersOf(contactId);
    const dueAt = timestamp(DAY_MS + Date.parse(decision.createdAt) - Date.now());
    expect(timers).toMatchObject([
      {
        ...{ agentId, contactId, conversationId, isNamed: true, decisionId: decision.id },
        ...{ key: "pay-A1", situationType: "payment.reminder" },
      },
    ]);
    const [timer] = timers;
    expect(Date.parse(timer?.dueAt ?? "") - Date.parse(dueAt)).toBeLessThan(60_000);
    expect(decision.explanation.effects[0]).toMatchObject({
      kind: "later",
      status: "done",
      timer: {
        timerId: timer?.id,
        key: "pay-A1",
        situationType: "payment.reminder",
        data: { orderId: "A1", attempt: 1 },
        dueAt: timer?.dueAt,
      },
    });
    // Explanations stored by earlier builds are still readable.
    const earlier = `replace(replace(explanation, '{"ruleId":', '{"id":'), '"timerId":', '"id":')`;
    await gateway.services.database.write((tx) =>
      tx.query(`update decision set explanation = ${earlier} where id = $1`, [decision.id]),
    );
    expect((await decisionClient(gateway).find(decision.id)).body.explanation).toEqual(decision.explanation);
    expect(await laneOf(timer?.id ?? "")).toMatchObject({ kind: "timer", wakeAt: timer?.dueAt });
    await makeDue(timer as Timer);
    const made = await fired(timer?.id ?? "");
    expect(made).toMatchObject({ contactId, conversationId, state: DecisionState.decided, outcome: "send" });
    expect(made.situation).toEqual({ type: "payment.reminder", data: { orderId: "A1", attempt: 1 } });
    const messages = await sentTo(conversationId);
    expect(messages.map(({ text, decisionId }) => [text, decisionId])).toEqual([["Please pay A1.", made.id]]);
    expect([await timersOf(contactId), await laneOf(timer?.id ?? "")]).toEqual([[], null]);
    expect((await eventsOf(timer as Timer)).map(({ type }) => type)).toEqual(["timer.set"]);
    const { body } = await decisionClient(gateway).find(made.id);
    expect(body.timerId).toBe(timer?.id);
  });

  test("the same key replaces only the contact's earlier timer", async () => {
    const { conversationId, contactId } = await meet();
    const other = await meet();
    const first = await set("placed", { conversationId }, contactId);
    const foreign = await set("placed", { conversationId: other.conversationId }, other.contactId);
    await decide("placed", { conversationId, data: { orderId: "A2" } });
    await decide("soon", { conversationId });
    const timers = await timersOf(contactId);
    expect(timers.map(({ key }) => key).sort()).toEqual(["pay-A1", "pay-A2"]);
    expect(timers.some(({ id }) => id === first.id)).toBe(false);
    expect((await eventsOf(first)).map(({ type, data }) => [type, data.reason])).toEqual([
      ["timer.set", undefined],
      ["timer.canceled", "replaced"],
    ]);
    expect(await laneOf(first.id)).toBeNull();
    expect(await timersOf(other.contactId)).toMatchObject([{ id: foreign.id }]);
  });

  test("an effect cancels a timer by its key", async () => {
    const { conversationId, contactId } = await meet();
    const timer = await set("placed", { conversationId }, contactId);
    const none = await decide("paid", { conversationId, data: { orderId: "A2" } });
    expect(none.explanation.effects[0]).toMatchObject({ status: "unchanged", timer: { key: "pay-A2" } });
    const { explanation } = await decide("paid", { conversationId });
    expect(explanation.effects[0]).toMatchObject({
      status: "done",
      timer: { timerId: timer.id, key: "pay-A1" },
    });
    expect([await timersOf(contactId), await laneOf(timer.id)]).toEqual([[], null]);
  });

  test.each<[string, string, object]>([
    ["far", "limit_reached", { message: "A timer can wait at most 90 days." }],
    ["wrong", "invalid_request", { message: "situation.data.attempt must be a whole number" }],
  ])("a timer that cannot be set is a failed effect that says so: %s", async (type, code, error) => {
    const { conversationId, contactId } = await meet();
    const { outcome, explanation } = await decide(type, { conversationId });
    expect(outcome).toBe("failed");
    expect(explanation.effects[0]).toMatchObject({ status: "failed", error: { code, ...error } });
    expect(await timersOf(contactId)).toEqual([]);
  });

  /** Sets two timers of a contact, the one that is due first last, and fires them in one transaction. */
  const fireTogether = async (type: string, other: string) => {
    const about = await meet();
    const { conversationId, contactId } = about;
    const second = await set(other, { conversationId }, contactId);
    await decide(`${type}.later`, { conversationId });
    const first = (await timersOf(contactId)).find(({ id }) => id !== second.id) as Timer;
    const { database, lanes, timerRunner } = gateway.services;
    const senders = { take: () => true, giveBack: () => undefined };
    const { dispatches } = await database.write(async (tx) => {
      await tx.update(Timer, { id: first.id }, { dueAt: timestamp(-2_000) });
      await tx.update(Timer, { id: second.id }, { dueAt: timestamp(-1_000) });
      const context = { senders, observer: lanes.observing(tx) };
      return timerRunner.start(tx, [second.id, first.id], context);
    });
    expect(dispatches).toHaveLength(2);
    const { signal } = new AbortController();
    await Promise.all(dispatches.map(({ send }) => send({ number: 1, signal, mayLeave: () => true })));
    expect([await laneOf(first.id), await laneOf(second.id)]).toEqual([null, null]);
    return { ...about, first, second };
  };

  test.each(STOPPING)(
    "a due timer stops a timer of the contact that is due after it: %s",
    async (type, _, reason) => {
      const { conversationId, first, second } = await fireTogether(type, "placed");
      expect(await firedBy(first.id)).toMatchObject([{ state: DecisionState.decided, failedEffects: 0 }]);
      expect(await firedBy(second.id)).toEqual([]);
      expect(await sentTo(conversationId)).toHaveLength(1);
      expect((await eventsOf(second)).map(({ type, data }) => [type, data.reason])).toEqual([
        ["timer.set", undefined],
        ["timer.canceled", reason],
      ]);
    },
  );

  test("a timer due after one that closes its conversation is about the contact", async () => {
    const { conversationId, contactId, first, second } = await fireTogether("closes", "always");
    const [closing, made] = [...(await firedBy(first.id)), ...(await firedBy(second.id))];
    expect(closing).toMatchObject({ conversationId, outcome: "send" });
    expect(made).toMatchObject({ contactId, outcome: "send" });
    expect(made?.conversationId).not.toBe(conversationId);
  });

  test("at most 20 timers of a contact wait", async () => {
    const { conversationId, contactId } = await meet();
    for (let i = 0; i < 20; i++) await decide("placed", { conversationId, data: { orderId: `${i}` } });
    const { explanation } = await decide("placed", { conversationId, data: { orderId: "20" } });
    expect(explanation.effects[0].error).toEqual({
      code: "limit_reached",
      message: "At most 20 timers can be waiting at once.",
    });
    expect((await decide("placed", { conversationId, data: { orderId: "7" } })).failedEffects).toBe(0);
    expect(await timersOf(contactId)).toHaveLength(20);
  });

  test("a time in the past is due immediately, but timers that set each other wait for a minute", async () => {
    const { conversationId, contactId } = await meet();
    await decide("past", { conversationId });
    await waitUntil(async () => (await sentTo(conversationId)).length === 1);
    const { id } = await set("chained", { conversationId, data: { orderId: "c" } }, contactId);
    const first = await fired(id);
    const [next] = await timersOf(contactId);
    expect(Date.parse(next?.dueAt ?? "") - Date.parse(first.createdAt)).toBeGreaterThanOrEqual(60_000);
  });

  test("a dry run shows the timer that would be set, and sets nothing", async () => {
    const { conversationId, contactId } = await meet();
    const { explanation } = await decide("both", { conversationId, dryRun: true });
    expect(explanation.effects).toMatchObject([
      { kind: "later", status: "done", timer: { key: "pay-A1", dueAt: expect.any(String) } },
      { kind: "later", status: "done", timer: { key: "other" } },
    ]);
    const as = { now: "2026-01-15T12:00:00.000Z" };
    const earlier = await decide("both", { conversationId, dryRun: true, as });
    expect(earlier.explanation.effects[0].timer.dueAt).toBe("2026-01-16T12:00:00.000Z");
    expect(explanation.effects[0].timer).not.toHaveProperty("id");
    expect(await timersOf(contactId)).toEqual([]);
    const contact = await read((reader) => reader.findOneByOrFail(Contact, { id: contactId }));
    expect(contact.hasTimers).toBe(false);
  });

  test("a timer of a situation without a contact belongs to the agent", async () => {
    const first = await set("placed", {}, agentId);
    expect(first).toMatchObject({ contactId: null, conversationId: null, isNamed: false });
    const timer = await set("placed", {}, agentId);
    expect(timer.id).not.toBe(first.id);
    await makeDue(timer);
    expect(await fired(timer.id)).toMatchObject({ contactId: null, state: DecisionState.decided });
    expect(await timersOf(agentId)).toEqual([]);
  });

  test("after its conversation was closed, a timer's situation is about the contact", async () => {
    const { conversationId, contactId } = await meet();
    const timer = await set("always", { conversationId }, contactId);
    await conversationClient(gateway).close(conversationId);
    await makeDue(timer);
    const made = await fired(timer.id);
    expect(made).toMatchObject({ contactId, outcome: "send" });
    expect(made.conversationId).not.toBe(conversationId);
  });

  test("a situation that the live configuration rejects is a failed decision", async () => {
    const { conversationId, contactId } = await meet();
    const timer = await set("placed", { conversationId }, contactId);
    await gateway.services.database.write((tx) => tx.update(Timer, { id: timer.id }, { data: {} }));
    await makeDue(timer);
    const made = await fired(timer.id);
    expect(made.state).toBe(DecisionState.failed);
    expect(made.explanation?.value.error?.code).toBe("invalid_request");
    expect(await timersOf(contactId)).toEqual([]);
  });

  test("a due timer waits while its line is paused, as after a restore", async () => {
    const { conversationId, contactId } = await meet();
    const timer = await set("always", { conversationId }, contactId);
    await gateway.services.database.write((tx) => gateway.services.lanes.wakeAgents(tx, [agentId]));
    expect(await laneOf(timer.id)).toMatchObject({ kind: "timer", wakeAt: timer.dueAt });
    expect((await lineClient(gateway).pause(lineId)).body.data.pauseLine.state).toBe("paused");
    await makeDue(timer);
    await waitUntil(async () => (await laneOf(timer.id))?.kind === "held_timer");
    expect(await firedBy(timer.id)).toEqual([]);
    await lineClient(gateway).resume(lineId);
    expect(await fired(timer.id)).toMatchObject({ outcome: "send" });
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    ["moves to another", (id) => conversationClient(gateway).move(id, { line: "main" })],
    ["is closed", (id) => conversationClient(gateway).close(id)],
  ])("a due timer of a paused line fires when its conversation %s", async (_, change) => {
    const line = await addLine(gateway, { agentId });
    const { id, contactId } = await addConversation(gateway, { agentId, line: line.name });
    const timer = await set("always", { conversationId: id }, contactId);
    await lineClient(gateway).pause(line.id);
    await makeDue(timer);
    await waitUntil(async () => (await laneOf(timer.id))?.kind === "held_timer");
    await change(id);
    expect(await fired(timer.id)).toMatchObject({ outcome: "send" });
  });

  test("erasing a contact deletes its timers, and deleting an agent deletes the agent's", async () => {
    const { conversationId, contactId } = await meet();
    const timer = await set("placed", { conversationId }, contactId);
    await contactClient(gateway).erase(contactId);
    expect([await timersOf(contactId), await laneOf(timer.id)]).toEqual([[], null]);
  });

  test("both APIs list the waiting timers, and cancel one", async () => {
    const { conversationId, contactId } = await meet();
    const first = await set("placed", { conversationId }, contactId);
    await decide("soon", { conversationId, data: { orderId: "A2" } });
    const [, second] = await timersOf(contactId);
    const { body } = await gateway.rest("GET", `/agent/timers?contactId=${contactId}`);
    expect(body.map(({ id }: Timer) => id)).toEqual([first.id, second?.id]);
    expect(body[0]).toMatchObject({
      key: "pay-A1",
      situationType: "payment.reminder",
      data: { orderId: "A1", attempt: 1 },
      unless: ["message.received", "handoff", "closed"],
      dueAt: first.dueAt,
    });
    const canceled = await gateway.rest("DELETE", `/agent/timers/${first.id}`);
    expect(canceled.status).toBe(204);
    const again = await gateway.rest("DELETE", `/agent/timers/${first.id}`);
    expect([again.status, again.body.code]).toEqual([404, "not_found"]);
    const listed = await gateway.graphql(
      "query ($agentId: ID!, $contactId: ID!) { timers(agentId: $agentId, contactId: $contactId) { totalCount nodes { id } } }",
      { agentId, contactId },
      { token: gateway.owner },
    );
    expect(listed.body.data.timers).toEqual({ totalCount: 1, nodes: [{ id: second?.id }] });
    expect((await eventsOf(first)).map(({ data }) => data.reason)).toEqual([undefined, "request"]);
    expect(await laneOf(first.id)).toBeNull();
    const none = await gateway.rest("GET", "/agent/timers?contactId=nobody");
    expect([none.status, none.body]).toEqual([200, []]);
  });

  const EVENTS: [string, (about: Awaited<ReturnType<typeof meet>>) => Promise<unknown>][] = [
    ["message.received", ({ address }) => sender.text(address, "I have paid")],
    ["handoff", ({ conversationId }) => conversationClient(gateway).handOff(conversationId)],
    ["closed", ({ conversationId }) => conversationClient(gateway).close(conversationId)],
  ];

  test.each(EVENTS)("an event that a timer names in unless cancels it: %s", async (reason, happens) => {
    const about = await meet();
    const timer = await set("placed", { conversationId: about.conversationId }, about.contactId);
    await decide("soon", { conversationId: about.conversationId, data: { orderId: "B" } });
    await happens(about);
    expect((await timersOf(about.contactId)).map(({ key }) => key)).toEqual(["pay-B"]);
    expect(await laneOf(timer.id)).toBeNull();
    expect((await eventsOf(timer)).map(({ type, data }) => [type, data.reason])).toEqual([
      ["timer.set", undefined],
      ["timer.canceled", reason],
    ]);
  });

  test("a timer about a named conversation ignores events in others, and a contact's timer ignores none", async () => {
    const { contactId } = await meet();
    const { conversationId: other, ...about } = await meet();
    const named = await set("placed", { conversationId: other }, about.contactId);
    await decide("placed", { contact: { id: about.contactId }, data: { orderId: "C" } });
    const open = await conversationClient(gateway).open({ contact: { id: about.contactId }, line: "main" });
    await conversationClient(gateway).close(open.body.data.openConversation.conversation.id);
    expect(await timersOf(about.contactId)).toMatchObject([{ id: named.id }]);
    expect(await timersOf(contactId)).toEqual([]);
  });

  test("an effect that closes the conversation cancels the timer that the decision has set", async () => {
    const { conversationId, contactId } = await meet();
    await decide("closing", { conversationId });
    expect(await timersOf(contactId)).toEqual([]);
  });

  test("a message from a program cancels no timer, but a message from a person does", async () => {
    const mails = await addMailSender(gateway, agentId, { from: "Support <support@acme.example>" });
    const address = { kind: AddressKind.email, address: "anna@example.com" };
    const contactId = await addContact(gateway, { agentId, addresses: [address] });
    await set("placed", { contact: { id: contactId } }, contactId);
    const mail = (...headers: string[]) =>
      mails.mail(["From: anna@example.com", ...headers, "", "Hello"].join("\r\n"));
    await mail("Auto-Submitted: auto-replied");
    expect(await timersOf(contactId)).toHaveLength(1);
    await mail("Subject: paid");
    expect(await timersOf(contactId)).toEqual([]);
    const contact = await read((reader) => reader.findOneByOrFail(Contact, { id: contactId }));
    expect(contact.hasTimers).toBe(false);
  });
});
