import { DAY_MS, HOUR_MS, timestamp, timestampOf } from "../../src/common/time";
import { AttemptOutcome } from "../../src/delivery/driver";
import { Lane } from "../../src/delivery/lane.entity";
import { laneWork } from "../../src/features";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Conversation } from "../../src/features/conversations/conversation.entity";
import { Event } from "../../src/features/events/event.entity";
import { DeliveryAttempt } from "../../src/features/messages/delivery-attempt.entity";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { CONVERSATION_LANE } from "../../src/features/messages/message-lanes";
import { addContact } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import type { GatewayOptions } from "../support/gateway";
import { senderOn } from "../support/inbound";
import { addLine, lineClient } from "../support/lines";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const DELIVERS = { env: { DELIVERY_WORKERS: "1" } } satisfies GatewayOptions;

const { scheduled, queued, delivered, failed } = MessageStatus;

/** Returns a window in UTC between two times relative to now, and the time when it opens. */
function windowOf(fromMs: number, toMs: number) {
  const from = timestampOf(Math.floor((Date.now() + fromMs) / 60_000) * 60_000);
  const to = timestampOf(Date.parse(from) + toMs - fromMs);
  return { windows: [{ from: from.slice(11, 16), to: to.slice(11, 16) }], at: from };
}

/** Returns a closed window that opens in two hours. */
const closed = () => windowOf(2 * HOUR_MS, 3 * HOUR_MS);
const { windows: OPEN } = windowOf(-HOUR_MS, 12 * HOUR_MS);

const NEWS = {
  burstSeconds: 0,
  situations: { news: {}, alert: {}, both: {} },
  templates: { news: "News", alert: { text: "Alert", urgent: true }, answer: "Answer" },
  rules: [
    { id: "news", on: "news", do: [{ send: "news" }] },
    { id: "alert", on: "alert", do: [{ send: "alert" }] },
    {
      id: "both",
      on: "both",
      do: [
        { send: "news", delaySeconds: 60 },
        { send: "news", urgent: true },
      ],
    },
    { id: "answer", on: "message.received", do: [{ send: "answer" }] },
  ],
};

describeGateway({ ...DELIVERS, engine: "any" }, (gateway) => {
  let agentId: string;
  const api = conversationClient(gateway);
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    await addLine(gateway, { agentId, name: "second" });
  });

  const messageOf = (id: string) => gateway.rows.findOneByOrFail(Message, { id });
  const laneOf = (id: string) => gateway.rows.findOneBy(Lane, { id });
  const become = async (id: string, status: MessageStatus) => {
    await waitUntil(async () => (await messageOf(id)).status === status);
    return messageOf(id);
  };
  const publishPolicy = (policy: object | undefined) => publish(gateway, agentId, { ...NEWS, policy });
  const decide = async (conversationId: string, type = "news", more: object = {}) => {
    const { body } = await decisionClient(gateway).decide({ type, conversationId, ...more });
    return body.explanation.effects;
  };
  /** Returns the ID of the message that a decision sends. */
  const send = async (...args: Parameters<typeof decide>): Promise<string> =>
    (await decide(...args))[0].messageId;
  const newConversation = async (more: { line?: string; address?: string } = {}) =>
    (await addConversation(gateway, { agentId, ...more })).id;
  const makeDue = async (id: string) => {
    const past = timestamp(-1);
    await gateway.services.database.write(async (tx) => {
      await tx.update(Message, { id }, { sendAt: past });
      await tx.update(Lane, { id }, { wakeAt: past });
    });
    gateway.services.lanes.notify();
  };
  /** Adds a paused line, and a conversation on it. */
  const onPausedLine = async () => {
    const { id: lineId, name } = await addLine(gateway, { agentId });
    const id = await newConversation({ line: name });
    await lineClient(gateway).pause(lineId);
    return { id, resume: () => lineClient(gateway).resume(lineId) };
  };

  describe("windows", () => {
    test("a message that the agent writes outside of them waits for the next window, and holds back nothing", async () => {
      const { windows, at } = closed();
      await publishPolicy({ windows });
      const id = await newConversation();
      const [effect] = await decide(id);
      const gate = { name: "window", until: at, path: "policy.windows[0]" };
      expect(effect).toMatchObject({ status: "done", gate });
      const message = await messageOf(effect.messageId);
      expect(message).toMatchObject({
        ...{ status: scheduled, sequence: null, sendAt: at, scheduledReason: "window" },
        ...{ scheduledBy: "policy.windows[0]", expiresAt: timestampOf(Date.parse(at) + 3 * DAY_MS) },
      });
      expect(await laneOf(message.id)).toMatchObject({ kind: "schedule", wakeAt: at });
      const { body } = await gateway.graphql(
        "query ($id: ID!) { message(id: $id) { gates { name until path } } }",
        { id: message.id },
      );
      expect(body.data.message.gates).toEqual([gate]);
      const { body: shown } = await gateway.rest("GET", `/messages/${message.id}`);
      expect(shown).toMatchObject({ scheduledReason: "window", scheduledBy: "policy.windows[0]" });
      const next = (await api.send(id, "by a client")).body.data.sendToConversation;
      expect(next.sequence).toBe(1);
      await become(next.id, delivered);
      await publishPolicy({ windows: OPEN });
      await makeDue(message.id);
      expect(await become(message.id, delivered)).toMatchObject({ sequence: 2, scheduledBy: null });
      expect(await laneOf(message.id)).toBeNull();
    });

    test("answers, urgent messages, and messages from others pass at any time", async () => {
      await publishPolicy({ windows: closed().windows });
      const { id: lineId, name } = await addLine(gateway, { agentId });
      const address = `at ${Math.random()}`;
      const id = await newConversation({ line: name, address });
      await become(await send(id, "alert"), delivered);
      const [delayed, urgent] = await decide(id, "both");
      await become(urgent.messageId, delivered);
      expect([delayed.gate.name, urgent.gate]).toEqual(["window", undefined]);
      expect(await messageOf(urgent.messageId)).toMatchObject({ isUrgent: true });
      await (await senderOn(gateway, agentId, lineId)).text(address, "Hello");
      const answers = () => gateway.rows.findBy(Message, { conversationId: id, text: "Answer" });
      await waitUntil(async () => (await answers())[0]?.status === delivered);
    });

    test("a queued message whose window has closed waits for the next one, and the others do not", async () => {
      const { id, resume } = await onPausedLine();
      await publishPolicy({ windows: OPEN });
      const first = await send(id);
      const second = (await api.send(id, "by a client")).body.data.sendToConversation.id;
      const before = await messageOf(first);
      expect(before).toMatchObject({ status: queued, sequence: 1 });
      const { windows, at } = closed();
      await publishPolicy({ windows });
      await resume();
      await become(second, delivered);
      const after = await become(first, scheduled);
      expect(after).toMatchObject({
        sequence: null,
        sendAt: at,
        scheduledReason: "window",
        heldReason: null,
      });
      // The waiting time does not count.
      const waitMs = Date.parse(at) - Date.parse(after.updatedAt ?? "");
      expect(Date.parse(after.expiresAt ?? "")).toBe(Date.parse(before.expiresAt ?? "") + waitMs);
      const events = await gateway.rows.findBy(Event, { agentId, subject: `conversation:${id}` });
      const own = events.filter(({ data }) => data.id === first);
      expect(own.map(({ type }) => type)).toEqual(["message.queued", "message.scheduled"]);
      expect(own[1]?.data).toMatchObject({ sequence: null, sendAt: at, scheduledBy: "policy.windows[0]" });
      await publishPolicy(undefined);
      await makeDue(first);
      expect(await become(first, delivered)).toMatchObject({ sequence: 3 });
    });

    test("a cursor of a message that is then rescheduled still works, and skips nothing", async () => {
      const { id, resume } = await onPausedLine();
      await publishPolicy({ windows: OPEN });
      const first = await send(id);
      const page = "nodes { id } pageInfo { endCursor }";
      const pages = async (after: string | null) => {
        const { body } = await gateway.graphql(
          `query ($id: ID!, $after: String) {
             conversationMessages(id: $id, after: $after) { ${page} }
             conversation(id: $id) { messages(after: $after) { ${page} } }
           }`,
          { id, after },
        );
        return [body.data.conversationMessages, body.data.conversation.messages];
      };
      const [{ pageInfo }] = await pages(null);
      const expectAdded = async (...ids: string[]) => {
        const nodes = ids.map((each) => ({ id: each }));
        expect(await pages(pageInfo.endCursor)).toMatchObject([{ nodes }, { nodes }]);
      };
      await publishPolicy({ windows: closed().windows });
      await resume();
      await become(first, scheduled);
      await expectAdded();
      const second = (await api.send(id, "by a client")).body.data.sendToConversation.id;
      await expectAdded(second);
      await publishPolicy(undefined);
      await makeDue(first);
      await become(first, delivered);
      await expectAdded(second, first);
    });

    test("a message without a contact uses the policy's zone", async () => {
      const { windows, at } = closed();
      await publishPolicy({ zone: "Asia/Tokyo", windows });
      const { body } = await decisionClient(gateway).decide({ type: "news" });
      const id = body.explanation.effects[0].messageId;
      const after = await become(id, scheduled);
      // The window is nine hours earlier in Tokyo.
      expect(Date.parse(after.sendAt ?? "")).toBe(Date.parse(at) + 15 * HOUR_MS);
      expect(await laneOf(id)).toMatchObject({ kind: "schedule", wakeAt: after.sendAt });
      await publishPolicy({ windows: OPEN });
      await makeDue(id);
      await become(id, delivered);
      expect(await laneOf(id)).toBeNull();
    });

    test("a dry run shows the result at another time, for a contact in another zone", async () => {
      const windows = [{ days: "mon-fri", from: "08:00", to: "20:00" }];
      await publishPolicy({ zone: "Europe/Zurich", windows });
      const id = await newConversation();
      const gateAt = async (now: string, contact?: object) =>
        (await decide(id, "news", { dryRun: true, as: { now, contact } }))[0].gate;
      expect(await gateAt("2027-03-26T20:00:00Z")).toMatchObject({ until: "2027-03-29T06:00:00.000Z" });
      expect(await gateAt("2027-03-26T12:00:00Z")).toBeUndefined();
      const timezone = "America/New_York";
      expect(await gateAt("2027-03-26T20:00:00Z", { timezone })).toBeUndefined();
    });
  });

  test("an urgent message is sent before others that wait for the line's rate limit", async () => {
    await publishPolicy(undefined);
    const { id: lineId, name } = await addLine(gateway, { agentId, ratePerMinute: 60 });
    await lineClient(gateway).pause(lineId);
    const others: string[] = [];
    for (let i = 0; i < 4; i++) others.push(await send(await newConversation({ line: name })));
    const urgent = await send(await newConversation({ line: name }), "alert");
    await lineClient(gateway).resume(lineId);
    const { sentAt } = await become(urgent, delivered);
    const before = (await Promise.all(others.map(messageOf))).filter(
      (other) => other.sentAt !== null && other.sentAt < (sentAt ?? ""),
    );
    expect(before.length).toBeLessThanOrEqual(1);
  });

  describe("caps", () => {
    const DAILY = {
      caps: [
        { max: 3, within: "P2D" },
        { max: 2, within: "P1D" },
      ],
    };
    /** Adds a contact with a conversation on each of two lines. */
    const conversationsOfOne = async () => {
      const address = { kind: AddressKind.local, address: `at ${Math.random()}` };
      const contact = { id: await addContact(gateway, { agentId, addresses: [address] }) };
      const ids: string[] = [];
      for (const line of ["main", "second"])
        ids.push(
          (await api.open({ contact, line, message: "by a client" })).body.data.openConversation.conversation
            .id,
        );
      return ids as [string, string];
    };

    test("a contact gets as many messages as caps allow, on all lines, and the next one waits", async () => {
      await publishPolicy(DAILY);
      const [one, other] = await conversationsOfOne();
      const first = await become(await send(one), delivered);
      await become(await send(one, "alert"), delivered);
      const second = await become(await send(other), delivered);
      const third = await become(await send(other), scheduled);
      const { body } = await gateway.graphql(
        "query ($id: ID!) { conversation(id: $id) { lastMessage { id } } }",
        { id: other },
      );
      expect(body.data.conversation.lastMessage).toEqual({ id: second.id });
      const until = timestampOf(Date.parse(first.sentAt ?? "") + DAY_MS);
      expect(third).toMatchObject({ sendAt: until, scheduledReason: "cap", scheduledBy: "policy.caps[1]" });
      const next = (await api.send(other, "by a client")).body.data.sendToConversation;
      await become(next.id, delivered);
      await become(await send(await newConversation()), delivered);
      // The period slides, so messages older than a day no longer count for this cap.
      await gateway.rows.update(Message, { id: first.id }, { sentAt: timestamp(-DAY_MS) });
      await makeDue(third.id);
      await become(third.id, delivered);
      // The other cap still counts that message, and holds back the next one for longer.
      const fourth = await become(await send(one), scheduled);
      expect(fourth).toMatchObject({ scheduledReason: "cap", scheduledBy: "policy.caps[0]" });
    });

    test("a message that a cap allows at night also waits for the window, and that wait does not count", async () => {
      await publishPolicy({ caps: [{ max: 1, within: "PT5H" }], windows: OPEN });
      const { name } = await addLine(gateway, { agentId, expireAfterSeconds: 36_000 });
      const id = await newConversation({ line: name });
      const first = await become(await send(id), delivered);
      const { windows } = windowOf(-HOUR_MS, HOUR_MS);
      await publishPolicy({ caps: [{ max: 1, within: "PT5H" }], windows });
      const second = await become(await send(id), scheduled);
      expect(Date.parse(second.sendAt ?? "")).toBeGreaterThan(Date.parse(first.sentAt ?? "") + 22 * HOUR_MS);
      expect(second).toMatchObject({ scheduledReason: "cap", scheduledBy: "policy.caps[0]" });
      // Of the ten hours that it may wait, it waits five for the cap.
      const leftMs = Date.parse(second.expiresAt ?? "") - Date.parse(second.sendAt ?? "");
      expect(Math.abs(leftMs - 5 * HOUR_MS)).toBeLessThan(HOUR_MS / 2);
    });

    test("a message that no cap allows before it expires fails, and rules may react", async () => {
      const onFailure = {
        id: "failed",
        on: "message.failed",
        when: ['situation.data.errorCode == "capped"'],
        do: [{ addTags: ["capped"] }],
      };
      const policy = { caps: [{ max: 1, within: "P4D" }] };
      await publish(gateway, agentId, { ...NEWS, policy, rules: [...NEWS.rules, onFailure] });
      const id = await newConversation();
      await become(await send(id), delivered);
      const second = await become(await send(id), failed);
      expect(second).toMatchObject({ errorCode: "capped", sequence: 2 });
      const { contactId } = (await api.find(id)).body.data.conversation;
      await waitUntil(async () => {
        const { body } = await gateway.rest("GET", `/agent/contacts/${contactId}`);
        return body.tags.includes("capped");
      });
    });
  });
});

/** Only the test delivers messages. */
describeGateway((gateway, engine) => {
  const senders = { take: () => true, giveBack: () => undefined };
  let agentId: string;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    await addLine(gateway, { agentId, name: "second" });
    await publish(gateway, agentId, { ...NEWS, policy: { caps: [{ max: 1, within: "P1D" }] } });
  });

  /** Opens two conversations with a new contact, each with a message to send. */
  async function twoMessages() {
    const address = { kind: AddressKind.local, address: `at ${Math.random()}` };
    const contact = { id: await addContact(gateway, { agentId, addresses: [address] }) };
    const sent: { lane: string; id: string }[] = [];
    for (const line of ["main", "second"]) {
      const { body } = await conversationClient(gateway).open({ contact, line });
      const lane = body.data.openConversation.conversation.id;
      const decided = await decisionClient(gateway).decide({ type: "news", conversationId: lane });
      sent.push({ lane, id: decided.body.explanation.effects[0].messageId });
    }
    const [first, second] = sent as [(typeof sent)[0], (typeof sent)[0]];
    return { contactId: contact.id, first, second };
  }
  /** @returns the time when the lane is due again */
  const deliver = (lane: string, meanwhile?: () => Promise<unknown>) =>
    gateway.services.database.write(async (tx) => {
      const work = laneWork(gateway.services)(CONVERSATION_LANE);
      const observer = gateway.services.lanes.observing(tx);
      const { next } = await work.start(tx, [lane], { senders, observer });
      await meanwhile?.();
      return next.get(lane);
    });
  const statusesOf = (...messages: { id: string }[]) =>
    gateway.services.database.read(async (reader) => {
      const found = await Promise.all(messages.map(({ id }) => reader.findOneByOrFail(Message, { id })));
      return found.map(({ status }) => status);
    });

  test("two transactions that send to a contact at the same time stay within the caps", async () => {
    const { first, second } = await twoMessages();
    let other: Promise<string | undefined> = Promise.resolve(undefined);
    await deliver(first.lane, async () => {
      other = deliver(second.lane);
      // On SQLite, the second transaction waits for the first one.
      if (engine.name === "PostgreSQL") await other;
    });
    const again = await other;
    if (engine.name === "PostgreSQL") {
      expect(again).toBeDefined();
      expect(await statusesOf(first, second)).toEqual([delivered, queued]);
      await deliver(second.lane);
    }
    expect(await statusesOf(first, second)).toEqual([delivered, scheduled]);
  });

  const { uncertain, retryable, permanent } = AttemptOutcome;
  test.each<[string, MessageStatus, (AttemptOutcome | null)[], MessageStatus]>([
    ["that is being sent waits for its result", MessageStatus.sending, [null], queued],
    ["whose last attempt may have arrived counts", queued, [uncertain], scheduled],
    [
      "whose first attempt may have arrived counts although the next one was rejected",
      failed,
      [uncertain, permanent],
      scheduled,
    ],
    ["that was not accepted does not count", queued, [retryable], delivered],
    ["that failed does not count", failed, [permanent], delivered],
    ["with an unknown result counts", failed, [uncertain], scheduled],
  ])("a message %s", async (_, status, outcomes, expected) => {
    const { contactId, first, second } = await twoMessages();
    await gateway.services.database.write(async (tx) => {
      const attempts = outcomes.length;
      await tx.update(Message, { id: first.id }, { status, attempts, cappedContactId: contactId });
      const now = timestamp();
      const { lineId } = await tx.findOneByOrFail(Conversation, { id: first.lane });
      const about = { messageId: first.id, lineId, startedAt: now };
      await tx.insert(
        DeliveryAttempt,
        outcomes.map((outcome, i) => ({ ...about, number: i + 1, outcome, endedAt: outcome && now })),
      );
    });
    const again = await deliver(second.lane);
    expect(await statusesOf(second)).toEqual([expected]);
    if (expected === queued) expect(again && again <= timestamp(1_000)).toBe(true);
  });
});
