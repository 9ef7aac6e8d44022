import { In } from "typeorm";
import { v7 as uuid } from "uuid";
import { operatorFor } from "../../src/auth/context";
import { timestamp } from "../../src/common/time";
import { Lane } from "../../src/delivery/lane.entity";
import { DeliveryAttempt } from "../../src/features/messages/delivery-attempt.entity";
import { Message } from "../../src/features/messages/message.entity";
import { HeldReason, MessageStatus } from "../../src/features/messages/message.enums";
import { closedAfterEach } from "../support/closing";
import { postgres } from "../support/engines";
import {
  type GatewayOptions,
  mint,
  operator,
  type Reply,
  startGateway,
  type TestGateway,
} from "../support/gateway";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { cases } from "../support/tiers";
import { waitUntil } from "../support/wait-until";

/** Number of races; `RACES=1000 npm test -- delivery` runs more. */
const RACES = Number(process.env.RACES ?? cases(100));

const DELIVERS = { env: { DELIVERY_WORKERS: "8" } } satisfies GatewayOptions;

const send = async (gateway: TestGateway, message: string, token = gateway.key): Promise<string> => {
  const { status, body } = await gateway.rest("POST", "/messages", { body: { message }, token });
  expect([status, body.status]).toEqual([201, "queued"]);
  return body.id;
};
const get = async (gateway: TestGateway, id: string, token = gateway.key) =>
  (await gateway.rest("GET", `/messages/${id}`, { token })).body;

/** Waits until a message matches. */
async function become(gateway: TestGateway, id: string, expected: object, token = gateway.key) {
  const isThere = (found: Record<string, unknown>) =>
    Object.entries(expected).every(([name, value]) => (found[name] ?? null) === value);
  let found: Record<string, unknown> = {};
  await waitUntil(async () => {
    found = await get(gateway, id, token);
    return isThere(found);
  });
  return found;
}

describeGateway({ engine: "any", ...DELIVERS }, (gateway, engine) => {
  const keep = closedAfterEach();
  const attemptsOf = (messageId: string) => gateway.rows.findBy(DeliveryAttempt, { messageId });
  const lanes = () => gateway.rows.count(Lane);

  test("a message is delivered on the default line, in one attempt", async () => {
    const id = await send(gateway, "Hello");
    const delivered = await become(gateway, id, { status: "delivered" });
    expect(delivered).toEqual({
      id,
      message: "Hello",
      status: "delivered",
      createdAt: expect.any(String),
      direction: "outbound",
      author: "api",
      attempts: 1,
      lineId: expect.any(String),
      expiresAt: expect.any(String),
      sentAt: expect.any(String),
      deliveredAt: delivered.sentAt,
    });
    expect(await attemptsOf(id)).toMatchObject([{ number: 1, outcome: "accepted" }]);
    expect(await lanes()).toBe(0);
  });

  test("a repeat with the idempotency key gets the first response, even after the delivery", async () => {
    const request = { body: { message: "Once" }, headers: { "idempotency-key": "once" } };
    const first = await gateway.rest("POST", "/messages", request);
    await become(gateway, first.body.id, { status: "delivered" });
    const repeat = await gateway.rest("POST", "/messages", request);
    expect([repeat.status, repeat.body]).toEqual([201, first.body]);
    expect(Object.keys(repeat.body)).toEqual(["id", "message", "status", "createdAt"]);
  });

  test("a deactivated organization's queued messages wait until it is active again", async () => {
    const { organizations, agents, lines } = gateway.services;
    const organization = await organizations.create({ slug: "pausing", name: "Pausing" });
    const context = operatorFor(organization);
    await agents.create(context, { slug: "pausing-agent", name: "Pausing" });
    const { secret } = await mint(gateway, { agent: "pausing-agent" });
    const [line] = await lines.list(context, (await agents.bySlug("pausing-agent")).id);
    await lines.pause(context, { id: line?.id ?? "", reason: null });
    const id = await send(gateway, "Later", secret);
    await become(gateway, id, { status: "queued", heldReason: "line_paused" }, secret);
    await organizations.deactivate(context);
    await lines.resume(context, line?.id ?? "");
    const find = () => gateway.rows.findOneByOrFail(Message, { id });
    await waitUntil(async () => (await find()).heldReason === "organization_deactivated");
    await organizations.reactivate(context);
    await become(gateway, id, { status: "delivered", heldReason: null }, secret);
  });

  test("an expired message fails without an attempt", async () => {
    const { database, lanes } = gateway.services;
    const id = "01a1fcd2-0000-7000-8000-000000000001";
    const agent = await gateway.services.agents.bySlug("first-agent");
    await database.write(async (tx) => {
      const expired = { id, agentId: agent.id, text: "Late", status: "queued", createdAt: timestamp() };
      await tx.insert(Message, { ...expired, expiresAt: timestamp(-1) } as Message);
      await lanes.add(tx, [{ id, agentId: agent.id, kind: "message" } as Lane]);
    });
    lanes.notify();
    await become(gateway, id, { status: "failed", errorCode: "expired" });
    expect(await attemptsOf(id)).toEqual([]);
  });

  test("a canceled message is not delivered, and a delivered one cannot be canceled", async () => {
    const outcomes: { id: string; reply: Reply }[] = [];
    const race = async () => {
      const id = await send(gateway, "a race");
      outcomes.push({ id, reply: await gateway.rest("POST", `/messages/${id}/cancel`) });
    };
    while (outcomes.length < RACES) await Promise.all(Array.from({ length: Math.min(RACES, 50) }, race));
    for (const { id, reply } of outcomes) {
      if (reply.status === 200) {
        expect(await get(gateway, id)).toMatchObject({ status: "canceled", errorCode: "canceled" });
        expect(await attemptsOf(id)).toEqual([]);
      } else {
        expect([reply.status, reply.body.code]).toEqual([409, "conflict"]);
        expect(reply.body.message).toContain("delivered");
        expect(await get(gateway, id)).toMatchObject({ status: "delivered" });
        expect(await attemptsOf(id)).toHaveLength(1);
      }
    }
  });

  test("another agent cannot read or cancel it", async () => {
    const { agents } = gateway.services;
    await agents.create(await operator(gateway), { slug: "stranger", name: "Stranger" });
    const { secret } = await mint(gateway, { agent: "stranger" });
    const id = await send(gateway, "Mine");
    for (const [method, path] of [
      ["GET", `/messages/${id}`],
      ["POST", `/messages/${id}/cancel`],
    ] as const) {
      expect((await gateway.rest(method, path, { token: secret })).body.code).toBe("not_found");
    }
  });

  test("two processes deliver each message once", async () => {
    const other = await keep(startGateway(engine, { ...DELIVERS, database: { url: gateway.databaseUrl } }));
    const ids = await Promise.all(
      Array.from({ length: cases(200) }, (_, i) =>
        send(i % 2 === 0 ? gateway : other, `of two ${i}`, gateway.key),
      ),
    );
    for (const id of ids) {
      await become(gateway, id, { status: "delivered" });
      expect(await attemptsOf(id)).toHaveLength(1);
    }
  });
});

describeGateway({ engine: "any" }, (gateway, engine) => {
  const keep = closedAfterEach();
  test("a resumed line also wakes the lanes that a delivery is about to put to sleep", async () => {
    const { database, lanes, lines, agents } = gateway.services;
    const context = await operator(gateway);
    const { id: agentId } = await agents.bySlug("first-agent");
    const [line] = await lines.list(context, agentId);
    await lines.pause(context, { id: line?.id ?? "", reason: null });
    const id = await send(gateway, "Held");
    let isResumed = false;
    let resuming: Promise<unknown> = Promise.resolve();
    const isWaiting = async () => {
      const locks = "SELECT 1 FROM pg_locks WHERE NOT granted";
      return engine !== postgres || (await database.read((reader) => reader.query(locks))).length > 0;
    };
    await database.write(async (tx) => {
      expect(await lanes.lockDue(tx, { max: 1 })).toMatchObject([{ id }]);
      resuming = lines.resume(context, line?.id ?? "").then(() => {
        isResumed = true;
      });
      await waitUntil(async () => (await isWaiting()) || isResumed);
      await lanes.sleep(tx, [{ laneId: id, until: timestamp(60_000) }]);
    });
    await resuming;
    const lane = await database.read((reader) => reader.findOneByOrFail(Lane, { id }));
    expect(lane.wakeAt <= timestamp()).toBe(true);
    await gateway.rest("POST", `/messages/${id}/cancel`);
  });

  slowTest(
    "a process without delivery workers leaves messages to the next process with workers",
    async () => {
      const ids = [];
      for (let i = 0; i < 150; i++) ids.push(await send(gateway, `left ${i}`));
      expect(await get(gateway, ids[0] as string)).not.toHaveProperty("heldReason");
      await keep(startGateway(engine, { ...DELIVERS, database: { url: gateway.databaseUrl } }));
      for (const id of ids) await become(gateway, id, { status: "delivered" });
    },
  );

  slowTest("messages held back by an upgrade are sent when released, in order", async () => {
    const { agents, messages, database } = gateway.services;
    const agent = await agents.bySlug("first-agent");
    const context = operatorFor(agent.organization);
    const imported = Array.from({ length: 1_000 }, (_, i) => {
      const id = uuid({ msecs: Date.UTC(2026, 0, 1) + i });
      const queued = { id, agentId: agent.id, text: `old ${i}`, status: MessageStatus.queued };
      return { ...queued, createdAt: timestamp(), heldReason: HeldReason.imported };
    });
    await database.write((tx) =>
      tx.createQueryBuilder().insert().into(Message).values(imported).updateEntity(false).execute(),
    );
    const other = await keep(startGateway(engine, { ...DELIVERS, database: { url: gateway.databaseUrl } }));
    const newer = await send(other, "new", gateway.key);
    await become(other, newer, { status: "delivered" }, gateway.key);
    const [first, last] = [imported[0], imported.at(-1)].map((each) => each?.id ?? "");
    expect(await get(other, first ?? "", gateway.key)).toMatchObject({
      status: "queued",
      heldReason: "imported",
    });
    expect(await messages.release(context, agent)).toBe(1_000);
    expect(await messages.release(context, agent)).toBe(0);
    other.services.lanes.notify();
    await become(other, last ?? "", { status: "delivered" }, gateway.key);
    const sent = await database.read((reader) =>
      reader.find(Message, { where: { id: In(imported.map(({ id }) => id)) }, order: { id: "ASC" } }),
    );
    expect(sent.map(({ status }) => status)).toEqual(imported.map(() => "delivered"));
    const times = sent.map(({ sentAt }) => sentAt);
    expect(times).toEqual([...times].sort());
  });
});
