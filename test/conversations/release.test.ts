import { timestamp } from "../../src/common/time";
import { Lane } from "../../src/delivery/lane.entity";
import { RELEASE_LANE } from "../../src/delivery/wake-lanes";
import { AuditEntry } from "../../src/features/audit/audit-entry.entity";
import { conversationActions } from "../../src/features/conversations/conversation.audit";
import { Conversation } from "../../src/features/conversations/conversation.entity";
import { Decision } from "../../src/features/decisions/decision.entity";
import { Event } from "../../src/features/events/event.entity";
import { contactClient } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { type GatewayOptions, startGateway } from "../support/gateway";
import { addWebhookLine } from "../support/lines";
import { firstAgentId } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const HOUR_MS = 3_600_000;
const DOCUMENT = {
  releaseAfter: "PT8H",
  situations: { shipped: {}, complained: {} },
  templates: { back: "I am back", shipped: "It is on its way" },
  rules: [
    {
      id: "back",
      on: "conversation.released",
      when: ['situation.data.reason == "timeout"'],
      do: [{ send: "back" }],
    },
    { id: "complained", on: "complained", do: [{ handoff: "complaint", scope: "contact" }] },
    { id: "shipped", on: "shipped", do: [{ send: "shipped" }], whileHuman: true },
  ],
  otherwise: [],
};
const DELIVERS = { env: { DELIVERY_WORKERS: "2" } } satisfies GatewayOptions;

describeGateway(DELIVERS, (gateway, engine) => {
  let agentId: string;
  const conversations = conversationClient(gateway);
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
  });

  const handedOff = async () => {
    const { id } = await addConversation(gateway, { agentId });
    await conversations.handOff(id);
    return id;
  };
  const stored = (id: string) => gateway.rows.findOneByOrFail(Conversation, { id });
  const releasesOf = async (id: string) => {
    const subject = `conversation:${id}`;
    const events = await gateway.rows.findBy(Event, { subject, type: "conversation.released" });
    return events.map(({ data }) => (data as { reason: string }).reason);
  };
  const lane = () => gateway.rows.findOneBy(Lane, { agentId, kind: RELEASE_LANE });
  /** Moves the times when humans took over or answered into the past, and looks for due conversations. */
  const pass = async (ms: number) => {
    await gateway.services.database.write(async (tx) => {
      for (const { id, humanAt } of await tx.findBy(Conversation, { agentId }))
        if (humanAt !== null) {
          const before = new Date(Date.parse(humanAt) - ms).toISOString();
          await tx.update(Conversation, { id }, { humanAt: before });
        }
      await tx.update(Lane, { agentId, kind: RELEASE_LANE }, { wakeAt: timestamp() });
    });
    gateway.services.lanes.notify();
  };
  /** Waits until the lane sleeps, because nothing is due. */
  const looked = () =>
    waitUntil(async () => Date.parse((await lane())?.wakeAt ?? timestamp(HOUR_MS)) > Date.now() + 1_000);
  const releaseAt = async (id: string) => {
    const { body } = await gateway.rest("GET", `/agent/conversations/${id}`);
    return body.releaseAt === undefined ? undefined : Date.parse(body.releaseAt) - Date.now();
  };

  test("a conversation that no human releases is released automatically, with an event, an audit entry and a decision", async () => {
    await publish(gateway, agentId, DOCUMENT);
    const id = await handedOff();
    expect(await releaseAt(id)).toBeGreaterThan(8 * HOUR_MS - 60_000);
    await pass(8 * HOUR_MS - 60_000);
    await looked();
    expect(await stored(id)).toMatchObject({ handler: "human", version: 2 });
    await pass(60_000);
    await waitUntil(async () => (await stored(id)).handler === "agent");
    expect(await stored(id)).toMatchObject({ humanAt: null, version: 3 });
    expect(await releaseAt(id)).toBeUndefined();
    expect(await releasesOf(id)).toEqual(["timeout"]);
    const [entry] = await gateway.rows.findBy(AuditEntry, {
      targetId: id,
      action: conversationActions.conversation_released,
    });
    expect(entry).toMatchObject({
      actorKind: "system",
      changes: [{ field: "handler", before: "human", after: "agent" }],
    });
    await waitUntil(async () => {
      const [decision] = await gateway.rows.findBy(Decision, { conversationId: id });
      return decision?.outcome === "send" && decision.ruleId === "back";
    });
  });

  test("the time counts from the last answer by a human, not by the agent or the contact", async () => {
    await publish(gateway, agentId, DOCUMENT);
    const [answered, silent] = [await handedOff(), await handedOff()];
    await pass(7 * HOUR_MS);
    await conversations.send(answered, "I am looking into it");
    await decisionClient(gateway).decide({ type: "shipped", conversationId: silent });
    await pass(HOUR_MS);
    await waitUntil(async () => (await stored(silent)).handler === "agent");
    await looked();
    expect((await stored(answered)).handler).toBe("human");
    expect(await releaseAt(answered)).toBeGreaterThan(7 * HOUR_MS - 60_000);
    await conversations.release(answered);
    await pass(8 * HOUR_MS);
    await looked();
    expect([await releasesOf(answered), await releasesOf(silent)]).toEqual([["request"], ["timeout"]]);
  });

  test("conversations handed off together are released together, when no human has answered in any of them", async () => {
    await publish(gateway, agentId, DOCUMENT);
    await addWebhookLine(gateway, { agentId, name: "sms" });
    const addresses = [
      { kind: "local", address: "two lines" },
      { kind: "phone", address: "+491511234567" },
    ];
    const { body } = await contactClient(gateway).put({ addresses });
    const contact = { id: body.data.putContact.contact.id };
    const opened = async (line: string) =>
      (await conversations.open({ contact, line })).body.data.openConversation.conversation.id as string;
    const ids = [await opened("main"), await opened("sms")];
    await decisionClient(gateway).decide({ type: "complained", conversationId: ids[0] as string });
    const handlers = async () => (await Promise.all(ids.map(stored))).map(({ handler }): string => handler);
    expect(await handlers()).toEqual(["human", "human"]);
    await pass(7 * HOUR_MS);
    await conversations.send(ids[1] as string, "I am looking into it");
    for (const id of ids) expect(await releaseAt(id)).toBeGreaterThan(8 * HOUR_MS - 60_000);
    await pass(HOUR_MS);
    await looked();
    expect(await handlers()).toEqual(["human", "human"]);
    await pass(7 * HOUR_MS);
    await waitUntil(async () => !(await handlers()).includes("human"));
    expect(await Promise.all(ids.map(releasesOf))).toEqual([["timeout"], ["timeout"]]);
    expect(await opened("main")).toBe(ids[0]);
    await conversations.close(ids[0] as string);
    expect((await stored(await opened("main"))).handler).toBe("agent");
  });

  test("a new version changes the time for conversations already handed off; without a time, none is released", async () => {
    await publish(gateway, agentId, { ...DOCUMENT, releaseAfter: "P30D" });
    const id = await handedOff();
    await pass(HOUR_MS);
    await looked();
    const { releaseAfter: _, ...never } = DOCUMENT;
    await publish(gateway, agentId, never);
    await pass(40 * 24 * HOUR_MS);
    await waitUntil(async () => (await lane()) === null);
    expect([(await stored(id)).handler, await releaseAt(id)]).toEqual(["human", undefined]);
    await publish(gateway, agentId, { ...DOCUMENT, releaseAfter: "PT1M" });
    gateway.services.lanes.notify();
    await waitUntil(async () => (await stored(id)).handler === "agent");
    expect(Date.parse((await lane())?.wakeAt ?? "")).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  slowTest(
    "several processes release each conversation once, while humans answer in some and close others",
    async () => {
      await publish(gateway, agentId, DOCUMENT);
      const others = await Promise.all(
        [1, 2].map(() =>
          startGateway(engine, { ...DELIVERS, database: { url: gateway.databaseUrl }, signInOwner: false }),
        ),
      );
      const ids: string[] = [];
      for (let i = 0; i < 45; i++) ids.push(await handedOff());
      const [answered, closed] = [ids[7] as string, ids[8] as string];
      const passed = pass(9 * HOUR_MS).then(() => {
        for (const { services } of others) services.lanes.notify();
      });
      await Promise.all([passed, conversations.send(answered, "Wait"), conversations.close(closed)]);
      await looked();
      const wasReleased = async (id: string) => (await releasesOf(id)).length;
      for (const id of ids.filter((each) => each !== answered && each !== closed))
        expect([id, await releasesOf(id), (await stored(id)).version]).toEqual([id, ["timeout"], 3]);
      const { handler, version } = await stored(answered);
      expect([handler, version]).toEqual((await wasReleased(answered)) === 1 ? ["agent", 3] : ["human", 2]);
      expect((await stored(closed)).state).toBe("closed");
      await Promise.all(others.map((other) => other.close()));
    },
  );
});
