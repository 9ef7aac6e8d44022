import type { ServerResponse } from "node:http";
import { IsNull, Not } from "typeorm";
import { timestamp } from "../../src/common/time";
import { Agent } from "../../src/features/agents/agent.entity";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { ModelUsage } from "../../src/features/decisions/model/model-usage.entity";
import { Line } from "../../src/features/lines/line.entity";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { seedConversations } from "../../src/features/samples/seed-conversations";
import { agentClient } from "../support/agents";
import { closedAfterEach } from "../support/closing";
import { addContact } from "../support/contacts";
import { addConversation } from "../support/conversations";
import { publish } from "../support/decisions";
import { TRANSPORTS } from "../support/followers";
import { mint, type TestGateway } from "../support/gateway";
import { apiKeyClient } from "../support/keys";
import { addWebhookLine, PUBLIC_URL } from "../support/lines";
import { addMember, codeOf, operatorOfAgent } from "../support/people";
import { Receiver } from "../support/receiver";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";
import { addEndpoint, addEvents, webhookClient } from "../support/webhooks";

const ENV = { DELIVERY_WORKERS: "2", ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" };

/** Counts the rows of an agent, and the rows that refer to them, by table. */
async function rowsOf({ services: { database } }: TestGateway, agentId: string) {
  return database.read(async (reader) => {
    const counts: Record<string, number> = {};
    for (const { tableName, columns } of reader.connection.entityMetadatas) {
      if (!columns.some(({ propertyName }) => propertyName === "agentId")) continue;
      const [row] = await reader.query(`select count(*) as count from ${tableName} where agent_id = $1`, [
        agentId,
      ]);
      counts[tableName] = Number(row.count);
    }
    for (const [table, column, parent] of [
      ["delivery_attempt", "message_id", "message"],
      ["line_traffic", "line_id", "line"],
      ["erasure", "contact_id", "contact"],
    ]) {
      const [row] = await reader.query(
        `select count(*) as count from ${table} where ${column} in (select id from ${parent} where agent_id = $1)`,
        [agentId],
      );
      counts[table as string] = Number(row.count);
    }
    return counts;
  });
}

describeGateway({ engine: "any", env: ENV }, (gateway) => {
  const keep = closedAfterEach();
  const desk = agentClient(gateway);
  const keys = apiKeyClient(gateway);
  const read: TestGateway["services"]["database"]["read"] = (query) => gateway.services.database.read(query);
  const purgeAll = () => gateway.services.agentPurge.finishAll(new AbortController().signal);

  /**
   * Adds an agent with something in every table.
   * @param size multiplies the rows; 100 makes several chunks of each table
   */
  async function fullAgent(size = 1) {
    const agent = await desk.add();
    const { id: agentId, slug } = agent;
    await publish(gateway, agentId, {
      playbook: [{ id: "greet", when: "situation.type == 'hello'", do: [{ tag: { add: ["greeted"] } }] }],
    }).catch(() => undefined);
    const key = await mint(gateway, { agent: slug });
    await seedConversations(
      gateway.services,
      { agentId },
      { contacts: 3 * size, conversations: 4 * size, messages: 30 * size, queued: 0 },
    );
    await addContact(gateway, {
      agentId,
      addresses: [{ kind: AddressKind.local, address: "anna" }],
      tags: ["vip"],
    } as never);
    await gateway.rest("POST", "/agent/decisions", {
      token: key.secret,
      body: { situation: { type: "hello", data: {} } },
    });
    await gateway.graphql(
      "mutation ($id: ID!) { saveConfigurationDraft(input: { agentId: $id, document: { format: 1 }, expectedRevision: 0 }) { draft { revision } } }",
      { id: agentId },
      { token: gateway.owner },
    );
    await addEvents(gateway, agentId, ["a", "b"]);
    const line = await gateway.rows.findOneByOrFail(Line, { agentId });
    const receipt = { message: { providerId: "unknown" }, status: MessageStatus.delivered } as const;
    await gateway.services.inbound.report(line, receipt);
    await gateway.rows.insert(ModelUsage, { agentId, day: timestamp(), asks: 1 });
    await keys.revoke(key.id);
    return { ...agent, key };
  }

  test("every row of a deleted agent is deleted, except the agent and its keys, and no row of another agent", async () => {
    const [gone, kept] = [await fullAgent(100), await fullAgent()];
    const ofAll = await addEndpoint(gateway);
    const ofOne = await addEndpoint(gateway, { agentId: gone.id });
    const before = await rowsOf(gateway, kept.id);
    const filled = Object.entries(await rowsOf(gateway, gone.id)).filter(([, count]) => count > 0);
    expect(filled.map(([table]) => table)).toEqual(
      expect.arrayContaining([
        "contact",
        "contact_address",
        "contact_tag",
        "conversation",
        "message",
        "decision",
        "early_receipt",
        "model_usage",
      ]),
    );
    expect(codeOf(await desk.delete(gone.id))).toBeUndefined();
    await purgeAll();
    const after = Object.entries(await rowsOf(gateway, gone.id)).filter(([, count]) => count > 0);
    // The agent's endpoint is deleted by the purge of endpoints.
    expect(after).toEqual(
      [
        ["api_key", 1],
        ["webhook_endpoint", 1],
      ].sort(),
    );
    const rest = await rowsOf(gateway, kept.id);
    expect({ ...rest, lane: 0, webhook_delivery: 0, webhook_cursor: 0 }).toEqual({
      ...before,
      lane: 0,
      webhook_delivery: 0,
      webhook_cursor: 0,
    });
    const endpoints = (await webhookClient(gateway).list()).body.data.webhookEndpoints;
    const ids = endpoints.map(({ id }: { id: string }) => id);
    expect(ids).toContain(ofAll.id);
    expect(ids).not.toContain(ofOne.id);
  });

  slowTest(
    "a process purges the rows that another process has left, including late ones, until nothing is left to purge",
    async () => {
      const { id } = await fullAgent();
      // Deletes the agent like the command line, which purges nothing.
      await gateway.services.agents.delete(await operatorOfAgent(gateway, id), id);
      const find = () => read((reader) => reader.findOneOrFail(Agent, { where: { id }, withDeleted: true }));
      await purgeAll();
      expect((await find()).purgedAt).toBeNull();
      await gateway.rows.execute("insert into agent_stream (agent_id, last) values ($1, 7)", [id]);
      await gateway.rows.update(Agent, { id }, { deletedAt: timestamp(-3_700_000) });
      await purgeAll();
      expect((await rowsOf(gateway, id)).agent_stream).toBe(0);
      expect((await find()).purgedAt).not.toBeNull();
      expect(await gateway.rows.countBy(Agent, { id, deletedAt: Not(IsNull()) })).toBe(0);
    },
  );

  slowTest("an aborted purge stops and continues later", async () => {
    const { id } = await fullAgent();
    await gateway.services.agents.delete(await operatorOfAgent(gateway, id), id);
    await gateway.services.agentPurge.finishAll(AbortSignal.abort());
    expect((await rowsOf(gateway, id)).message).toBeGreaterThan(0);
    await purgeAll();
    expect((await rowsOf(gateway, id)).message).toBe(0);
  });

  slowTest(
    "resources of a deleted agent are not found by their IDs, before any of them is purged",
    async () => {
      const agent = await fullAgent();
      const { token } = await addMember(gateway, {
        permissions: ["config:manage", "conversations:read", "conversations:write"] as never,
      });
      const idOf = (table: string) =>
        read(
          async (reader) =>
            (await reader.query(`select id from ${table} where agent_id = $1 limit 1`, [agent.id]))[0].id,
        );
      const calls = [
        `{ contact(by: { id: "${await idOf("contact")}" }) { id } }`,
        `{ conversation(id: "${await idOf("conversation")}") { id } }`,
        `{ message(id: "${await idOf("message")}") { id } }`,
        `{ decision(id: "${await idOf("decision")}") { id } }`,
      ];
      const changes = [
        `mutation { pauseLine(input: { id: "${await idOf("line")}" }) { id } }`,
        `mutation { cancelMessage(input: { id: "${await idOf("message")}" }) { id } }`,
        `mutation { eraseContact(input: { id: "${await idOf("contact")}" }) { id } }`,
        `mutation { changeContactTags(input: { id: "${await idOf("contact")}", add: ["x"] }) { tags } }`,
        `mutation { closeConversation(input: { id: "${await idOf("conversation")}" }) { canceled } }`,
        `mutation { sendToConversation(input: { id: "${await idOf("conversation")}", text: "x" }) { id } }`,
      ];
      const ask = (query: string) => gateway.graphql(query, {}, { token });
      for (const query of calls) expect(Object.values((await ask(query)).body.data)).not.toEqual([null]);
      await gateway.services.agents.delete(await operatorOfAgent(gateway, agent.id), agent.id);
      for (const query of calls)
        expect([query, Object.values((await ask(query)).body.data)]).toEqual([query, [null]]);
      for (const query of changes) expect([query, codeOf(await ask(query))]).toEqual([query, "not_found"]);
      await purgeAll();
    },
  );

  test("after the response to a deletion, no queued message or event is sent", async () => {
    const [receiver, endpoint] = [await keep(Receiver.start()), await keep(Receiver.start())];
    // All senders wait here, because a fast machine could otherwise send everything before the deletion.
    const held: ServerResponse[] = [];
    for (const server of [receiver, endpoint])
      server.reaction = (response) => {
        if (server.received.length <= 5) response.end();
        else held.push(response);
      };
    const { id: agentId, slug } = await desk.add();
    const line = await addWebhookLine(gateway, { agentId, url: receiver.url() });
    await gateway.services.lines.setDefault(await operatorOfAgent(gateway, agentId), line.id);
    await addEndpoint(gateway, { agentId, url: endpoint.url() });
    const key = await mint(gateway, { agent: slug });
    await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        gateway.rest("POST", "/messages", { token: key.secret, body: { message: `${i}` } }),
      ),
    );
    await keys.revoke(key.id);
    await waitUntil(() => held.length === Number(ENV.DELIVERY_WORKERS));
    const messagesAt = ({ received }: Receiver) =>
      new Set(received.map(({ headers }) => headers["webhook-id"]));
    const underWay = messagesAt(receiver);
    let queued: string[] = [];
    gateway.services.hooks.add({
      agentDeleted: async (tx, _, { id }) => {
        if (id !== agentId) return;
        const rows = await tx.find(Message, {
          select: ["id"],
          where: { agentId, status: MessageStatus.queued },
        });
        queued = rows.map((row) => row.id).filter((id) => !underWay.has(id));
      },
    });
    expect(codeOf(await desk.delete(agentId))).toBeUndefined();
    for (const server of [receiver, endpoint]) server.reaction = (response) => response.end();
    for (const response of held) response.end();
    await purgeAll();
    // By then, every sender has finished its work.
    await waitUntil(async () => (await rowsOf(gateway, agentId)).message === 0);
    const { id: other, slug: otherSlug } = await desk.add();
    const last = await addWebhookLine(gateway, { agentId: other, url: receiver.url() });
    await gateway.services.lines.setDefault(await operatorOfAgent(gateway, other), last.id);
    const { secret } = await mint(gateway, { agent: otherSlug });
    await gateway.rest("POST", "/messages", { token: secret, body: { message: "the last" } });
    await waitUntil(() => receiver.received.some(({ body }) => body.includes("the last")));
    expect(queued).not.toEqual([]);
    const arrived = messagesAt(receiver);
    expect(queued.filter((id) => arrived.has(id))).toEqual([]);
    expect(endpoint.received.length).toBeLessThan(200);
    expect(gateway.log()).not.toContain("delivery failed");
  });

  slowTest(
    "concurrent changes by members either precede the deletion or find no agent, and leave no row",
    async () => {
      const { token } = await addMember(gateway, {
        permissions: ["config:manage", "conversations:read", "conversations:write"] as never,
      });
      const ask = (query: string) => gateway.graphql(query, {}, { token });
      const seen = new Set<string | undefined>();
      for (let round = 0; round < 7; round++) {
        const { id } = await desk.add();
        const conversation = await addConversation(gateway, { agentId: id });
        const changes = [
          `mutation { sendToConversation(input: { id: "${conversation.id}", text: "late" }) { id } }`,
          `mutation { putContact(input: { agentId: "${id}", ref: "late" }) { created } }`,
          `mutation { changeContactTags(input: { id: "${conversation.contactId}", add: ["late"] }) { tags } }`,
          `mutation { createLine(input: { agentId: "${id}", name: "late" }) { line { id } } }`,
          `mutation { createWebhookEndpoint(input: { agentId: "${id}", url: "${PUBLIC_URL}" }) { signingSecret } }`,
          `mutation { handOffConversation(input: { id: "${conversation.id}" }) { canceled } }`,
          `mutation { decide(input: { agentId: "${id}", situation: { type: "late", data: {} } }) { id } }`,
        ];
        const before = changes.slice(0, round % changes.length);
        const after = changes.slice(round % changes.length);
        const [deleted, ...others] = await Promise.all(
          [...before.map(ask), desk.delete(id), ...after.map(ask)].reverse(),
        );
        const codes = [deleted, ...others].map((reply) => reply && codeOf(reply));
        for (const code of codes) seen.add(code);
        // The purge that the deletion started may have passed a table before a late row was added.
        await purgeAll();
        await gateway.rows.update(Agent, { id }, { deletedAt: timestamp(-3_700_000) });
        await purgeAll();
        const left = Object.entries(await rowsOf(gateway, id)).filter(([, count]) => count > 0);
        expect(left.filter(([table]) => table !== "webhook_endpoint")).toEqual([]);
        const endpoints = (await webhookClient(gateway).list()).body.data.webhookEndpoints;
        expect(endpoints.filter(({ agentId }: { agentId: string }) => agentId === id)).toEqual([]);
      }
      expect([...seen].filter((code) => !["not_found", "conflict", undefined].includes(code))).toEqual([]);
    },
  );

  slowTest("a member's stream of a deleted agent ends, and others continue", async () => {
    const [gone, kept] = [await desk.add(), await desk.add()];
    const { token } = await addMember(gateway, { permissions: ["conversations:read"] as never });
    const open = TRANSPORTS["a subscription"];
    const streams = await Promise.all(
      [gone, kept].map(({ id }) => open?.(gateway, { token, agentId: id, after: "0" })),
    );
    await streams[0]?.until(({ positions }) => positions.length > 0);
    await desk.delete(gone.id);
    expect(await streams[0]?.end()).toBe("not_found");
    const had = streams[1]?.positions.length ?? 0;
    await addEvents(gateway, kept.id, ["more"]);
    await streams[1]?.until(({ positions }) => positions.length > had);
    for (const stream of streams) stream?.cut();
  });
});
