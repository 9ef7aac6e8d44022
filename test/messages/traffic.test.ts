import { AttemptOutcome, type SendResult } from "../../src/delivery/driver";
import { failure } from "../../src/delivery/failures";
import type { FinishedSend } from "../../src/delivery/lane-work";
import { laneWork } from "../../src/features";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { LineTraffic } from "../../src/features/lines/line-traffic.entity";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { CONVERSATION_LANE, MESSAGE_LANE } from "../../src/features/messages/message-lanes";
import { addContact } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { addLine, addWebhookLine, lineClient } from "../support/lines";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const ACCEPTED: SendResult = { outcome: AttemptOutcome.accepted, providerId: null, isDelivered: false };
const FAILED = failure(AttemptOutcome.retryable, "http_500", "Failed with http_500.");
const SENDERS = { take: () => true, giveBack: () => undefined };

/** Only the test delivers messages. */
describeGateway((gateway, engine) => {
  const { delivered, queued } = MessageStatus;
  let agentId: string;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
  });

  const statusOf = (id: string) =>
    gateway.services.database.read(async (reader) => (await reader.findOneByOrFail(Message, { id })).status);
  const work = (kind: string) => laneWork(gateway.services)(kind);
  /** Queues a message in a new conversation on a line. */
  const inConversation = async (line: string) => {
    const { id: lane } = await addConversation(gateway, { agentId, line });
    const { body } = await conversationClient(gateway).send(lane, "Hello");
    return { kind: CONVERSATION_LANE, lane, id: body.data.sendToConversation.id };
  };
  /** Queues a message outside of conversations, which is sent on the default line. */
  const standalone = async () => {
    const { id } = (await gateway.rest("POST", "/messages", { body: { message: "Hello" } })).body;
    return { kind: MESSAGE_LANE, lane: id, id };
  };
  /** Starts messages, each in a step of its own, like a batch with several kinds of lanes. */
  const deliver = (messages: { kind: string; lane: string }[], between = async () => {}) =>
    gateway.services.database.write(async (tx) => {
      const due: (string | undefined)[] = [];
      const observer = gateway.services.lanes.observing(tx);
      for (const { kind, lane } of messages) {
        if (due.length > 0) await between();
        due.push((await work(kind).start(tx, [lane], { senders: SENDERS, observer })).next.get(lane));
      }
      return due;
    });

  test.each(["whose traffic is not stored yet", "whose traffic is stored"])(
    "two processes that send on two lines with rates (%s) in different orders do not wait for each other",
    async (what) => {
      const [one, other] = [
        await addLine(gateway, { agentId, ratePerMinute: 6_000 }),
        await addLine(gateway, { agentId, ratePerMinute: 6_000 }),
      ];
      await lineClient(gateway).setDefault(one.id);
      if (what === "whose traffic is stored")
        await deliver([await inConversation(one.name), await inConversation(other.name)]);
      const first = [await standalone(), await inConversation(other.name)];
      const second = [await inConversation(other.name), await standalone()];
      let done: ReturnType<typeof deliver> = Promise.resolve([]);
      const due = await deliver(first, async () => {
        done = deliver(second);
        // On SQLite, the second transaction waits for the first one.
        if (engine.name === "PostgreSQL") await done;
      });
      expect(due).toEqual([undefined, undefined]);
      const [another, again] = await done;
      expect(another).toBeUndefined();
      if (engine.name === "PostgreSQL") {
        // The first transaction has locked the line's traffic.
        expect(Date.parse(again as string) - Date.now()).toBeLessThanOrEqual(250);
        expect(await statusOf(second[1]?.id)).toBe(queued);
        await deliver(second.slice(1));
      }
      const all = await Promise.all([...first, ...second].map(({ id }) => statusOf(id)));
      expect(all).toEqual(all.map(() => delivered));
    },
  );

  /** Returns the result of an attempt on a line, in its own conversation. */
  async function ending(line: { id: string; name: string }, result: SendResult): Promise<FinishedSend> {
    const addresses = [{ kind: AddressKind.phone, address: `+4915${String(Math.random()).slice(2, 11)}` }];
    const contact = { id: await addContact(gateway, { agentId, addresses }) };
    const opened = await conversationClient(gateway).open({ contact, line: line.name, message: "Hello" });
    const { conversation, message } = opened.body.data.openConversation;
    await gateway.rows.update(Message, { id: message.id }, { status: MessageStatus.sending, attempts: 1 });
    return {
      ...{ laneId: conversation.id, channelId: line.id, channelKind: "webhook", attempt: 1, isHeld: true },
      ...{ messageId: message.id, result },
    };
  }
  const finish = (ended: FinishedSend[]) =>
    gateway.services.database.write((tx) =>
      work(CONVERSATION_LANE).finish(tx, ended, gateway.services.lanes.observing(tx)),
    );
  const trafficOf = (lineId: string) => gateway.rows.findOneBy(LineTraffic, { lineId });

  test.each([
    [1, 6_000, 0],
    [30, 1, 60],
  ])(
    "after a change of a line's rate from %d to %d, its next message is due %d s after its last",
    async (from, to, seconds) => {
      const { id, name } = await addLine(gateway, { agentId, ratePerMinute: from });
      const [first, second] = [await inConversation(name), await inConversation(name)];
      const sentAt = Date.now();
      await deliver([first]);
      await deliver([second]);
      await lineClient(gateway).update({ id, ratePerMinute: to });
      const [due] = await deliver([second]);
      if (seconds === 0) expect(await statusOf(second.id)).toBe(delivered);
      else expect(Date.parse(due ?? "") - sentAt).toBeGreaterThanOrEqual(seconds * 1_000);
    },
  );

  test("results of attempts are stored while another process uses the line's traffic, and counted afterwards", async () => {
    const line = await addWebhookLine(gateway, { agentId });
    await finish([await ending(line, FAILED)]);
    await waitUntil(async () => (await trafficOf(line.id))?.faultCode === "http_500");
    const ended = await ending(line, ACCEPTED);
    let done = Promise.resolve();
    await gateway.services.database.write(async (tx) => {
      await tx.update(LineTraffic, { lineId: line.id }, { rejections: 3 });
      done = finish([ended]);
      if (engine.name === "PostgreSQL") await done;
    });
    await done;
    expect(await statusOf(ended.messageId)).toBe(MessageStatus.sent);
    await waitUntil(async () => (await trafficOf(line.id))?.faultCode === null);
    expect(await trafficOf(line.id)).toMatchObject({ rejections: 0, faultSince: null });
  });

  test("results of later transactions are counted after results of earlier ones", async () => {
    const lines = [await addWebhookLine(gateway, { agentId }), await addWebhookLine(gateway, { agentId })];
    for (const result of [FAILED, ACCEPTED, FAILED, ACCEPTED])
      await finish(await Promise.all(lines.map((line) => ending(line, result))));
    await gateway.services.rejections.counted();
    for (const { id } of lines) expect((await trafficOf(id))?.faultCode ?? null).toBeNull();
    await finish(await Promise.all(lines.map((line) => ending(line, FAILED))));
    await gateway.services.rejections.counted();
    for (const { id } of lines) expect(await trafficOf(id)).toMatchObject({ faultCode: "http_500" });
  });
});
