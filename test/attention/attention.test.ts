import { ORGANIZATION_SCOPES, Permission } from "../../src/auth/permissions";
import { DAY_MS, timestamp } from "../../src/common/time";
import { AttemptOutcome } from "../../src/delivery/driver";
import { failure } from "../../src/delivery/failures";
import { countRejections } from "../../src/features/messages/rejections";
import { addConversation, conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { mint, mintForOrganization } from "../support/gateway";
import { addLine, addWebhookLine, lineClient } from "../support/lines";
import { addMember, addOrganization, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { addEndpoint, storeDelivery, webhookClient } from "../support/webhooks";

const LINE_KINDS = ["database_restored", "line_failing", "line_paused"];
const WEBHOOK_KINDS = ["webhook_failing", "webhook_disabled"];
const KEY_KINDS = ["key_leaked", "key_expiring"];
const INBOX_KINDS = ["reply_needed", "review_needed", "decision_failed"];

interface Item {
  kind: string;
  count: number;
  isCountExact: boolean;
  since: string | null;
  [subject: string]: unknown;
}

describeGateway((gateway) => {
  let agentId: string;
  let owner: string;
  const ids: Record<string, string> = {};
  const sql = (statement: string, parameters: unknown[] = []) =>
    gateway.services.database.write((tx) => tx.query(statement, parameters));
  const attention = async (token = owner): Promise<Item[]> => {
    const { body } = await gateway.graphql(
      `{ attention { kind count isCountExact since agent { id } line { id fault { code } } webhookEndpoint { id } lastError apiKey { id } } }`,
      {},
      { token },
    );
    expect(body.errors).toBeUndefined();
    return body.data.attention;
  };
  const kindsFor = async (token: string) => (await attention(token)).map(({ kind }) => kind);
  const itemOf = async (wanted: string) => (await attention()).find(({ kind }) => kind === wanted);
  const failLine = (lineId: string) =>
    gateway.services.database.write((tx) =>
      countRejections(tx, [
        {
          ...{
            laneId: "",
            messageId: "",
            attempt: 1,
            isHeld: true,
            channelId: lineId,
            channelKind: "webhook",
          },
          result: failure(AttemptOutcome.retryable, "http_500", "The receiver responded with 500."),
        },
      ]),
    );
  const send = async (line: string, count = 1) => {
    const { id } = await addConversation(gateway, { agentId, line });
    const api = conversationClient(gateway);
    const sent: string[] = [];
    for (let i = 0; i < count; i += 1)
      sent.push((await api.send(id, "Hello")).body.data.sendToConversation.id);
    return sent;
  };

  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    owner = (await addMember(gateway, { permissions: Object.values(Permission) })).token;
  });

  test("nothing needs attention in a new organization", async () => {
    expect(await attention()).toEqual([]);
    // A paused line without messages, an archived failing line, and a key that does not expire soon need no attention
    // either.
    const idle = await addLine(gateway, { agentId });
    await lineClient(gateway).pause(idle.id);
    const archived = await addWebhookLine(gateway, { agentId });
    await failLine(archived.id);
    await lineClient(gateway).archive(archived.id);
    await mint(gateway, { expiresAt: new Date(Date.now() + 15 * DAY_MS) });
    await mint(gateway);
    expect(await attention()).toEqual([]);
  });

  test("everything that needs a person is listed, most urgent first, with its number, start and subject", async () => {
    const failing = await addWebhookLine(gateway, { agentId });
    await failLine(failing.id);
    const paused = await addLine(gateway, { agentId });
    const [oldest] = await send(paused.name, 3);
    await lineClient(gateway).pause(paused.id);
    const [hook, off] = [await addEndpoint(gateway), await addEndpoint(gateway)];
    const failingSince = timestamp(-60_000);
    await sql("update webhook_endpoint set failing_since = $1 where id = $2", [failingSince, hook.id]);
    await sql("update webhook_delivery set state = 'pending', attempts = 1, last_error = $1 where id = $2", [
      "HTTP 503",
      await storeDelivery(gateway, hook, agentId),
    ]);
    await webhookClient(gateway).disable(off.id);
    for (let i = 0; i < 2; i += 1)
      await conversationClient(gateway).handOff((await addConversation(gateway, { agentId })).id);
    const [proposed = ""] = await send("main");
    await sql("update message set status = 'proposed', sequence = null where id = $1", [proposed]);
    await publish(gateway, agentId, {
      situations: { broken: {} },
      templates: { none: "{{ contact.name }}" },
      rules: [{ id: "broken", on: "broken", do: [{ send: "none" }] }],
    });
    await decisionClient(gateway).decide({ type: "broken" });
    const soon = await mint(gateway, { expiresAt: new Date(Date.now() + 5 * DAY_MS) });
    await mint(gateway, { expiresAt: new Date(Date.now() + 9 * DAY_MS) });
    const leaked = await mint(gateway);
    await sql("update api_key set revoked_at = $1, leaked_at = $1 where id = $2", [timestamp(), leaked.id]);
    const restoredAt = timestamp();
    await sql(
      "insert into known_database (id, restored_at) values (1, $1) on conflict (id) do update set restored_at = excluded.restored_at",
      [restoredAt],
    );
    Object.assign(ids, { failing: failing.id, paused: paused.id, pausedName: paused.name, hook: hook.id });

    const items = await attention();
    expect(items.map(({ kind }) => kind)).toEqual([
      "database_restored",
      "key_leaked",
      "line_failing",
      "line_paused",
      "webhook_failing",
      "webhook_disabled",
      "reply_needed",
      "review_needed",
      "decision_failed",
      "key_expiring",
    ]);
    const since = expect.any(String);
    const item = {
      count: 1,
      isCountExact: true,
      since,
      agent: null,
      line: null,
      webhookEndpoint: null,
      lastError: null,
      apiKey: null,
    };
    const agent = { id: agentId };
    const { createdAt } = (await gateway.rest("GET", `/messages/${oldest}`)).body;
    expect(items).toEqual([
      { ...item, kind: "database_restored", since: restoredAt },
      { ...item, kind: "key_leaked", apiKey: { id: leaked.id } },
      {
        ...item,
        kind: "line_failing",
        count: 0,
        agent,
        line: { id: failing.id, fault: { code: "http_500" } },
      },
      {
        ...item,
        ...{ kind: "line_paused", count: 3, since: createdAt, agent, line: { id: paused.id, fault: null } },
      },
      {
        ...item,
        kind: "webhook_failing",
        since: failingSince,
        webhookEndpoint: { id: hook.id },
        lastError: "HTTP 503",
      },
      { ...item, kind: "webhook_disabled", count: 0, webhookEndpoint: { id: off.id } },
      { ...item, kind: "reply_needed", count: 2 },
      { ...item, kind: "review_needed" },
      { ...item, kind: "decision_failed", agent },
      { ...item, kind: "key_expiring", count: 2, since: (await expiryOf(soon.id)) as string },
    ]);
  });
  const expiryOf = async (id: string) =>
    (await sql("select expires_at as at from api_key where id = $1", [id]))[0].at;

  test.each<[string, () => Promise<string>, string[]]>([
    ["a member without permission", async () => (await addMember(gateway)).token, []],
    [
      "a manager",
      async () => (await addMember(gateway, { manage: true })).token,
      [...LINE_KINDS, ...WEBHOOK_KINDS, ...KEY_KINDS],
    ],
    [
      "a member with conversations:read",
      async () => (await addMember(gateway, { permissions: [Permission.conversations_read] })).token,
      INBOX_KINDS,
    ],
    ["an organization key for lines", async () => keyFor("lines:manage"), LINE_KINDS],
    ["an organization key for webhooks", async () => keyFor("webhooks:manage"), WEBHOOK_KINDS],
    ["an organization key for keys", async () => keyFor("keys:manage"), KEY_KINDS],
    ["an organization key for members", async () => keyFor("members:read"), []],
    [
      "another organization's manager",
      async () => (await addOrganization(gateway, "apart")).manager.token,
      ["database_restored"],
    ],
  ])("%s sees only items that they may read elsewhere", async (_, tokenOf, kinds) => {
    expect((await kindsFor(await tokenOf())).sort()).toEqual([...kinds].sort());
  });
  const keyFor = async (scope: (typeof ORGANIZATION_SCOPES)[number]) =>
    (await mintForOrganization(gateway, { scopes: [scope] })).secret;

  test("an item disappears when it no longer needs attention", async () => {
    await lineClient(gateway).resume(ids.paused as string);
    expect(await itemOf("line_paused")).toBeUndefined();
    await lineClient(gateway).pause(ids.failing as string);
    expect(await itemOf("line_failing")).toBeUndefined();
    await webhookClient(gateway).delete(ids.hook as string);
    expect(await itemOf("webhook_failing")).toBeUndefined();
    await sql("update decision set created_at = $1", [timestamp(-DAY_MS - 1)]);
    expect(await itemOf("decision_failed")).toBeUndefined();
    await sql("update api_key set leaked_at = $1 where leaked_at is not null", [timestamp(-8 * DAY_MS)]);
    expect(await itemOf("key_leaked")).toBeUndefined();
    await gateway.services.restores.confirmSame();
    expect(await itemOf("database_restored")).toBeUndefined();
  });

  test("at most ten lines of a kind are listed, longest failing first", async () => {
    const { id, manager } = await addOrganization(gateway, "many-lines");
    const [agent] = await sql("select id from agent where organization_id = $1", [id]);
    const lines: string[] = [];
    for (let i = 0; i < 12; i += 1) {
      const line = await addWebhookLine(gateway, { agentId: agent.id });
      await failLine(line.id);
      await sql("update line_traffic set fault_since = $1 where line_id = $2", [
        timestamp(i * 1_000),
        line.id,
      ]);
      lines.push(line.id);
    }
    const listed = (await attention(manager.token)).filter(({ kind }) => kind === "line_failing");
    expect(listed.map(({ line }) => (line as { id: string }).id)).toEqual(lines.slice(0, 10));
  });

  describe("the messages of a line", () => {
    const COUNTS =
      "query ($id: ID!) { lineActivity(lineId: $id) { queued { count isExact } held { count isExact } failed { count isExact } sent { count isExact } } }";
    const LIST =
      "query ($id: ID!, $statuses: [MessageStatus!], $held: Boolean, $since: DateTimeISO) { messages(first: 100, lineId: $id, statuses: $statuses, held: $held, since: $since) { nodes { id } totalCount } }";
    const FILTERS = {
      queued: () => ({ statuses: ["queued"], held: false }),
      held: () => ({ statuses: ["queued"], held: true }),
      failed: () => ({ statuses: ["failed"], since: timestamp(-DAY_MS) }),
      sent: () => ({ statuses: ["sent", "delivered", "read"], since: timestamp(-DAY_MS) }),
    };

    test("are counted exactly as they are listed, on the line where they were sent or wait", async () => {
      const [line, elsewhere] = [await addLine(gateway, { agentId }), await addLine(gateway, { agentId })];
      const [a, b, c, d, e, f, g, h] = await send(line.name, 8);
      await send(elsewhere.name, 2);
      const set = (id: string | undefined, change: string) =>
        sql(`update message set ${change} where id = '${id}'`);
      await set(a, `status = 'sent', line_id = '${line.id}'`);
      await set(b, `status = 'read', line_id = '${line.id}'`);
      // Expired without an attempt.
      await set(c, "status = 'failed'");
      await set(d, `held_reason = 'retry', line_id = '${line.id}'`);
      // Moved here after an attempt on another line.
      await set(e, `held_reason = 'line_paused', line_id = '${elsewhere.id}'`);
      // Sent before the conversation was moved here.
      await set(f, `status = 'delivered', line_id = '${elsewhere.id}'`);
      await set(g, `status = 'canceled'`);
      const expected: Record<string, (string | undefined)[]> = {
        queued: [h],
        held: [d, e],
        failed: [c],
        sent: [a, b],
      };
      const { body } = await gateway.graphql(COUNTS, { id: line.id }, { token: owner });
      for (const [name, filter] of Object.entries(FILTERS)) {
        const list = await gateway.graphql(LIST, { id: line.id, ...filter() }, { token: owner });
        const { nodes, totalCount } = list.body.data.messages;
        expect([name, nodes.map(({ id }: { id: string }) => id)]).toEqual([name, expected[name]]);
        expect([name, body.data.lineActivity[name]]).toEqual([name, { count: totalCount, isExact: true }]);
      }
      const ofKey = await gateway.graphql(LIST, { id: line.id, ...FILTERS.held() });
      expect(ofKey.body.data.messages.totalCount).toBe(2);
    });

    test("without a conversation belong to the default line", async () => {
      const [line] = await sql("select id from line where agent_id = $1 and is_default", [agentId]);
      const count = async () => {
        const { body } = await gateway.graphql(COUNTS, { id: line.id }, { token: owner });
        return body.data.lineActivity.queued.count as number;
      };
      const before = await count();
      await gateway.rest("POST", "/messages", { body: { message: "Hello" } });
      expect(await count()).toBe(before + 1);
    });
  });
});
