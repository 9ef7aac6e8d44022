import { In } from "typeorm";
import { timestamp } from "../../src/common/time";
import { Lane } from "../../src/delivery/lane.entity";
import { DeliveryAttempt } from "../../src/features/messages/delivery-attempt.entity";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { closedAfterEach } from "../support/closing";
import { postgres } from "../support/engines";
import type { GatewayOptions } from "../support/gateway";
import { addWebhookLine, lineClient } from "../support/lines";
import { firstAgentId } from "../support/people";
import { Receiver } from "../support/receiver";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

/** More messages than a transaction usually handles. */
const MESSAGES = 120;

const SENDS = {
  // One organization gets three quarters of them.
  env: { DELIVERY_WORKERS: String((MESSAGES * 4) / 3), ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" },
} satisfies GatewayOptions;

describeGateway(SENDS, (gateway, engine) => {
  const keep = closedAfterEach();
  /** Directs messages without a contact to a receiver. */
  async function leaveTo(receiver: Receiver): Promise<void> {
    const agentId = await firstAgentId(gateway);
    const line = await addWebhookLine(gateway, { agentId, url: receiver.url() });
    await lineClient(gateway).setDefault(line.id);
  }
  const send = async (): Promise<string> =>
    (await gateway.rest("POST", "/messages", { body: { message: "Hello" } })).body.id;

  test("results of sends are stored even if the database was away until their leases had expired", async () => {
    const { database } = gateway.services;
    const receiver = await keep(Receiver.start());
    const held = receiver.hold();
    await leaveTo(receiver);
    const ids = await Promise.all(Array.from({ length: MESSAGES }, send));
    await waitUntil(() => held.length >= MESSAGES);
    await database.write(async (tx) => {
      // No other transaction reads or changes a lane before this one ends.
      if (engine === postgres) await tx.query("LOCK TABLE lane");
      await tx.update(Lane, { id: In(ids) }, { leaseUntil: timestamp(-1), wakeAt: timestamp(-1) });
      // Messages that are sent again get a response, and are counted below.
      receiver.reaction = (response) => response.end();
      for (const response of held) response.writeHead(200, { connection: "close" }).end();
      await waitUntil(() => receiver.openConnections === 0);
    });
    const unsent = () =>
      database.read((reader) =>
        reader.countBy(Message, { id: In(ids), status: In([MessageStatus.queued, MessageStatus.sending]) }),
      );
    await waitUntil(async () => (await unsent()) === 0);
    const messages = await database.read((reader) => reader.findBy(Message, { id: In(ids) }));
    expect(messages.map(({ status, attempts }) => [status, attempts])).toEqual(ids.map(() => ["sent", 1]));
    const attempts = await database.read((reader) => reader.findBy(DeliveryAttempt, { messageId: In(ids) }));
    expect(attempts.map(({ outcome }) => outcome)).toEqual(ids.map(() => "accepted"));
    expect(receiver.received).toHaveLength(MESSAGES);
  });

  test("a process that was frozen between leasing and sending a message does not send it", async () => {
    const receiver = await keep(Receiver.start());
    await leaveTo(receiver);
    const now = performance.now.bind(performance);
    let frozenMs = 0;
    const clock = jest.spyOn(performance, "now").mockImplementation(() => now() + frozenMs);
    const { instanceKey } = gateway.services;
    const current = instanceKey.current.bind(instanceKey);
    // The lease is committed, and the signature has not been created yet.
    const signing = jest.spyOn(instanceKey, "current").mockImplementation(() => {
      frozenMs = 11_000;
      return current();
    });
    try {
      const id = await send();
      const attempts = () => gateway.rows.findBy(DeliveryAttempt, { messageId: id });
      await waitUntil(async () => (await attempts())[0]?.outcome != null);
      expect(await attempts()).toMatchObject([{ outcome: "retryable", code: "lease_lost" }]);
      expect(receiver.received).toHaveLength(0);
    } finally {
      clock.mockRestore();
      signing.mockRestore();
    }
  });
});

describeGateway({ env: { ...SENDS.env, DELIVERY_WORKERS: "1" } }, (gateway) => {
  const keep = closedAfterEach();
  const send = async (): Promise<string> =>
    (await gateway.rest("POST", "/messages", { body: { message: "Hello" } })).body.id;
  const messageOf = (id: string) => gateway.rows.findOneByOrFail(Message, { id });

  const waiting = (ids: string[]) => gateway.rows.countBy(Lane, { id: In(ids), needsSender: true });

  test("a claimed message for which no sender is free in time is sent later", async () => {
    const receiver = await keep(Receiver.start());
    const held = receiver.hold();
    const arrived = async (count: number) => {
      await waitUntil(() => held.length >= count);
    };
    const now = performance.now.bind(performance);
    let clock: jest.SpyInstance | undefined;
    try {
      const agentId = await firstAgentId(gateway);
      const line = await addWebhookLine(gateway, { agentId, url: receiver.url() });
      await lineClient(gateway).setDefault(line.id);
      await send();
      await arrived(1);
      const second = await send();
      const third = await send();
      await waitUntil(async () => (await waiting([second, third])) === 2);
      // After six failures, the next delay would be an hour.
      await gateway.rows.update(Message, { id: third }, { attempts: 6 });
      // The second message might end as quickly as the first one, so the third one is claimed together with it.
      held[0]?.end();
      await arrived(2);
      await waitUntil(async () => (await messageOf(third)).status === MessageStatus.sending);
      clock = jest.spyOn(performance, "now").mockImplementation(() => now() + 11_000);
      held[1]?.end();
      await waitUntil(async () => (await messageOf(third)).status === MessageStatus.queued);
      expect(await messageOf(third)).toMatchObject({ attempts: 7, heldReason: "retry" });
      expect((await messageOf(second)).status).toBe(MessageStatus.sent);
      expect(receiver.received).toHaveLength(2);
      clock.mockRestore();
      await arrived(3);
      held[2]?.end();
      await waitUntil(async () => (await messageOf(third)).status === MessageStatus.sent);
      const attempts = await gateway.rows.find(DeliveryAttempt, {
        where: { messageId: third },
        order: { number: "ASC" },
      });
      expect(attempts.map(({ outcome, code }) => [outcome, code])).toEqual([
        ["retryable", "not_sent"],
        ["accepted", null],
      ]);
      expect(receiver.received).toHaveLength(3);
    } finally {
      clock?.mockRestore();
    }
  });
});
