import { DAY_MS, HOUR_MS, timestamp, timestampOf } from "../../src/common/time";
import { Lane } from "../../src/delivery/lane.entity";
import { SCHEDULE_LANE } from "../../src/delivery/wake-lanes";
import { AuditEntry } from "../../src/features/audit/audit-entry.entity";
import { Conversation } from "../../src/features/conversations/conversation.entity";
import { Event } from "../../src/features/events/event.entity";
import { DeliveryAttempt } from "../../src/features/messages/delivery-attempt.entity";
import { Message } from "../../src/features/messages/message.entity";
import { MessageError, MessageStatus } from "../../src/features/messages/message.enums";
import { contactClient } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { testOnAny } from "../support/engines";
import { type GatewayOptions, startGateway, type TestGateway } from "../support/gateway";
import { senderOn } from "../support/inbound";
import { addLine } from "../support/lines";
import { firstAgentId } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { cases } from "../support/tiers";
import { waitUntil } from "../support/wait-until";

const DELIVERS = { env: { DELIVERY_WORKERS: "1" } } satisfies GatewayOptions;

const { proposed, scheduled, queued, delivered, canceled, failed } = MessageStatus;

const ROUNDS = cases(10);

const DOCUMENT = {
  burstSeconds: 0,
  situations: { careful: {}, later: {}, plain: {}, delayed: {} },
  templates: { offer: { text: "An offer", html: "<p>An offer</p>" }, plain: "Plain" },
  rules: [
    { id: "careful", on: "careful", do: [{ send: "offer", review: true }] },
    { id: "later", on: "later", do: [{ send: "offer", review: true, delaySeconds: 86_400 }] },
    { id: "plain", on: "plain", do: [{ send: "plain" }] },
    { id: "delayed", on: "delayed", do: [{ send: "plain", delaySeconds: 86_400 }] },
    { id: "failed", on: "message.failed", do: [{ resend: true }] },
  ],
};

describeGateway(DELIVERS, (gateway, engine) => {
  const anyTest = testOnAny(engine);
  let agentId: string;
  const api = conversationClient(gateway);
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    for (const name of ["second", "third"]) await addLine(gateway, { agentId, name });
    await publish(gateway, agentId, DOCUMENT);
  });

  const messageOf = (id: string) => gateway.rows.findOneByOrFail(Message, { id });
  const laneOf = (id: string) => gateway.rows.findOneBy(Lane, { id });
  const conversationOf = (id: string) => gateway.rows.findOneByOrFail(Conversation, { id });
  const become = async (id: string, status: MessageStatus) => {
    await waitUntil(async () => (await messageOf(id)).status === status);
    return messageOf(id);
  };
  const newConversation = async (more: { address?: string } = {}) =>
    (await addConversation(gateway, { agentId, ...more })).id;
  const decide = async (conversationId: string, type = "careful", more: object = {}) => {
    const { body } = await decisionClient(gateway).decide({ type, conversationId, ...more });
    return body;
  };
  /** Returns the ID of a decision's message, which is proposed by default. */
  const propose = async (...args: Parameters<typeof decide>): Promise<string> =>
    (await decide(...args)).explanation.effects[0].messageId;
  const approve = (id: string, body: object = {}) =>
    gateway.rest("POST", `/messages/${id}/approve`, { body });
  const discard = (id: string, body: object = {}) =>
    gateway.rest("POST", `/messages/${id}/discard`, { body });
  const expire = async (...ids: string[]) => {
    const past = timestamp(-1);
    await gateway.services.database.write(async (tx) => {
      for (const id of ids) {
        await tx.update(Message, { id }, { expiresAt: past });
        await tx.update(Lane, { id }, { wakeAt: past });
      }
    });
    gateway.services.lanes.notify();
  };

  anyTest("a proposed message waits without a position until a person approves it", async () => {
    const id = await newConversation();
    const decision = await decide(id);
    const [effect] = decision.explanation.effects;
    const gate = { name: "review" };
    expect(decision.outcome).toBe("send");
    expect(effect).toMatchObject({ status: "done", gate });
    const message = await messageOf(effect.messageId);
    expect(message).toMatchObject({
      ...{ status: proposed, sequence: null, proposedText: "An offer", reviewedAt: null, scheduledBy: null },
      expiresAt: timestampOf(Date.parse(message.createdAt) + 3 * DAY_MS),
    });
    expect(await laneOf(message.id)).toMatchObject({ kind: SCHEDULE_LANE, wakeAt: message.expiresAt });
    const { body } = await gateway.graphql(
      "query ($id: ID!) { message(id: $id) { gates { name until path } } }",
      { id: message.id },
    );
    expect(body.data.message.gates).toEqual([{ ...gate, until: null, path: null }]);
    const listed = await gateway.rest("GET", `/agent/conversations/${id}/messages?scheduled=true`);
    expect(listed.body.map((each: Message) => each.id)).toEqual([message.id]);

    const next = (await api.send(id, "by a client")).body.data.sendToConversation;
    await become(next.id, delivered);
    const approved = await approve(message.id);
    expect([approved.status, approved.body.status, approved.body.sequence]).toEqual([200, queued, 2]);
    expect(await become(message.id, delivered)).toMatchObject({ text: "An offer", html: "<p>An offer</p>" });
    expect(await laneOf(message.id)).toBeNull();
    const again = await approve(message.id);
    expect([again.status, again.body.code]).toEqual([409, "conflict"]);

    const events = await gateway.rows.findBy(Event, { agentId, subject: `conversation:${id}` });
    expect(
      events.flatMap(({ type, data }) =>
        data.id === message.id ? [[type, data.status, data.isEdited, data.scheduledBy]] : [],
      ),
    ).toEqual([
      ["message.proposed", proposed, undefined, null],
      ["message.approved", queued, false, undefined],
      ["message.queued", queued, undefined, undefined],
      ["message.delivered", delivered, undefined, undefined],
    ]);
    const audited = await gateway.rows.findBy(AuditEntry, { targetId: message.id });
    expect(audited).toMatchObject([
      { action: "message_approved", changes: [{ field: "status", before: proposed, after: queued }] },
    ]);
  });

  anyTest("an edited text is sent without HTML, and the proposed one is kept", async () => {
    const id = await newConversation();
    const message = await propose(id);
    const { body } = await approve(message, { message: "A better offer" });
    expect(body).toMatchObject({ message: "A better offer", proposedText: "An offer" });
    expect(await become(message, delivered)).toMatchObject({ text: "A better offer", html: null });
    const [, edited] = (await gateway.rows.findOneByOrFail(AuditEntry, { targetId: message })).changes;
    expect(edited).toEqual({ field: "text", before: "proposed", after: "edited" });
    const { contactId } = await conversationOf(id);
    const exported = await gateway.rest("GET", `/agent/contacts/${contactId}/export`);
    for (const text of ["A better offer", "An offer"]) expect(exported.text).toContain(text);
    await contactClient(gateway).erase(contactId);
    await waitUntil(async () => (await messageOf(message)).text === "");
    expect(await messageOf(message)).toMatchObject({ proposedText: null });
  });

  anyTest("a discarded message is canceled, with the reason", async () => {
    const id = await newConversation();
    const message = await propose(id);
    const { status, body } = await discard(message, { reason: "Too early" });
    expect([status, body]).toMatchObject([
      200,
      { status: canceled, errorCode: "discarded", errorText: "Too early", sequence: 1 },
    ]);
    expect(await laneOf(message)).toBeNull();
    expect((await approve(message)).status).toBe(409);
  });

  anyTest("members list the waiting messages of one agent or of all", async () => {
    const message = await propose(await newConversation());
    const list = async (args: string, token?: string) => {
      const { body } = await gateway.graphql(
        `{ messages(first: 100, ${args}) { totalCount nodes { id } } }`,
        {},
        token ? { token } : {},
      );
      return body.errors?.[0].extensions.code ?? body.data.messages.nodes.map(({ id }: Message) => id);
    };
    const { owner } = gateway;
    for (const args of ["status: proposed", `status: proposed, agentId: "${agentId}"`])
      expect(await list(args, owner)).toContain(message);
    expect(await list("status: queued", owner)).not.toContain(message);
    expect(await list("status: proposed")).toContain(message);
  });

  anyTest("a rule's delay continues after the approval", async () => {
    const message = await propose(await newConversation(), "later");
    const { sendAt } = await messageOf(message);
    expect((await approve(message)).body).toMatchObject({
      status: scheduled,
      sendAt,
      scheduledReason: "delay",
    });
    expect(await messageOf(message)).toMatchObject({ sequence: null });
    expect(await laneOf(message)).toMatchObject({ kind: SCHEDULE_LANE, wakeAt: sendAt });
  });

  anyTest("a message without a contact is also proposed", async () => {
    const { body } = await decisionClient(gateway).decide({ type: "careful" });
    const { messageId } = body.explanation.effects[0];
    expect(await messageOf(messageId)).toMatchObject({ status: proposed, conversationId: null });
    await approve(messageId);
    await become(messageId, delivered);
    expect(await laneOf(messageId)).toBeNull();
  });

  anyTest(
    "a policy makes people approve all of the agent's messages, and its windows apply afterwards",
    async () => {
      const opens = timestampOf(Math.ceil((Date.now() + 2 * HOUR_MS) / 60_000) * 60_000);
      const windows = [
        { from: opens.slice(11, 16), to: timestampOf(Date.parse(opens) + HOUR_MS).slice(11, 16) },
      ];
      await publish(gateway, agentId, { ...DOCUMENT, policy: { review: "all", windows } });
      try {
        const id = await newConversation();
        const dry = await decide(id, "plain", { dryRun: true });
        const [effect] = (await decide(id, "plain")).explanation.effects;
        for (const each of [dry.explanation.effects[0], effect])
          expect(each.gate).toMatchObject({ name: "review", path: "policy.review" });
        const { messageId } = effect;
        expect(await messageOf(messageId)).toMatchObject({ status: proposed, scheduledBy: "policy.review" });
        await approve(messageId);
        expect(await become(messageId, scheduled)).toMatchObject({
          scheduledReason: "window",
          sendAt: opens,
        });
      } finally {
        await publish(gateway, agentId, DOCUMENT);
      }
    },
  );

  anyTest("a proposal that no one approves expires, and is not sent again", async () => {
    const id = await newConversation();
    const message = await propose(id);
    await expire(message);
    expect(await become(message, failed)).toMatchObject({ errorCode: "expired", sequence: 1 });
    expect(await laneOf(message)).toBeNull();
    expect((await approve(message)).status).toBe(409);
    const decided = async () =>
      (await decisionClient(gateway).list(`?conversationId=${id}&type=message.failed`)).body[0];
    await waitUntil(async () => (await decided())?.state === "decided");
    const { body } = await decisionClient(gateway).find((await decided()).id);
    expect(body.explanation.effects).toMatchObject([
      { status: "failed", error: { code: "conflict", message: "The message was not approved in time." } },
    ]);
  });

  const { moved, handed_off, closed, opted_out } = MessageError;
  anyTest.each<[string, (id: string, address: string) => Promise<unknown>, MessageError]>([
    ["a move", (id) => api.move(id, { line: "second" }), moved],
    ["a handoff", (id) => api.handOff(id), handed_off],
    ["a close", (id) => api.close(id), closed],
    ["an erasure", async (id) => contactClient(gateway).erase((await conversationOf(id)).contactId), closed],
    [
      "an opt-out",
      async (id, address) => {
        const { lineId } = await conversationOf(id);
        await (await senderOn(gateway, agentId, lineId)).text(address, "STOP");
      },
      opted_out,
    ],
    [
      "a cancellation",
      async (id) => {
        const { body } = await gateway.rest("GET", `/agent/conversations/${id}/messages?scheduled=true`);
        for (const { id } of body) await gateway.rest("POST", `/messages/${id}/cancel`);
      },
      MessageError.canceled,
    ],
  ])(
    "%s cancels proposed and scheduled messages, which take their positions",
    async (what, change, errorCode) => {
      const address = `at ${Math.random()}`;
      const id = await newConversation({ address });
      const ids: string[] = [];
      for (const type of ["careful", "delayed", "careful", "delayed"]) ids.push(await propose(id, type));
      expect((await messageOf(ids[1] as string)).status).toBe(scheduled);
      await change(id, address);
      await waitUntil(async () => (await messageOf(ids[3] as string)).sequence !== null);
      for (const [i, each] of ids.entries()) {
        expect(await messageOf(each)).toMatchObject({
          ...{ status: canceled, errorCode, sequence: i + 1, scheduledReason: null },
          text: what === "an erasure" ? "" : i % 2 === 0 ? "An offer" : "Plain",
        });
        expect(await laneOf(each)).toBeNull();
      }
    },
  );

  anyTest("a carried proposal is approved on the new line, despite a newer answer", async () => {
    const id = await newConversation();
    const message = await propose(id);
    await become(await propose(id, "plain"), delivered);
    const { body } = await api.move(id, { line: "third", pending: "carry" });
    expect(body.data.moveConversation).toMatchObject({ canceled: [], carried: [message] });
    await approve(message);
    expect((await become(message, delivered)).lineId).toBe((await conversationOf(id)).lineId);
  });

  describe("while another process works on the same database", () => {
    let other: TestGateway;
    beforeAll(async () => {
      other = await startGateway(engine, { ...DELIVERS, database: { url: gateway.databaseUrl } });
    });
    afterAll(() => other.close());

    slowTest.each<[string, (id: string, message: string) => Promise<unknown>]>([
      ["discarding it", (_, message) => discard(message)],
      ["approving another text", (_, message) => approve(message, { message: "Edited" })],
      ["expiring it", (_, message) => expire(message)],
      ["handing off its conversation", (id) => api.handOff(id)],
      ["canceling it", (_, message) => gateway.rest("POST", `/messages/${message}/cancel`)],
    ])("an approved message is sent once or not at all: %s", async (_, change) => {
      for (let round = 0; round < ROUNDS; round++) {
        const id = await newConversation();
        const message = await propose(id);
        const [{ status }] = await Promise.all([
          other.rest("POST", `/messages/${message}/approve`, { body: {}, token: gateway.key }),
          change(id, message),
        ]);
        await waitUntil(async () => ENDED.has((await messageOf(message)).status));
        const ended = await messageOf(message);
        expect(ended.sequence).toBe((await conversationOf(id)).lastSequence);
        if (ended.status === delivered) expect(ended.text).toBe(status === 200 ? "An offer" : "Edited");
        expect(await laneOf(message)).toBeNull();
        const attempts = await gateway.rows.countBy(DeliveryAttempt, { messageId: message });
        expect(attempts).toBe(ended.status === delivered ? 1 : 0);
      }
    });
  });

  const ENDED: ReadonlySet<MessageStatus> = new Set([delivered, canceled, failed]);
});
