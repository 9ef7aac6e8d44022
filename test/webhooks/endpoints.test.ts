import { Ajv2020 } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { Webhook } from "standardwebhooks";
import { Permission } from "../../src/auth/permissions";
import { DAY_MS, timestamp } from "../../src/common/time";
import { deleteEndpoints } from "../../src/features/webhooks/delete-endpoints";
import { MAX_ENDPOINTS } from "../../src/features/webhooks/webhook.limits";
import { WebhookDelivery } from "../../src/features/webhooks/webhook-delivery.entity";
import { purge } from "../../src/housekeeping";
import { auditLog } from "../support/audit";
import { closedAfterEach } from "../support/closing";
import { mintForOrganization, type Reply } from "../support/gateway";
import { PUBLIC_URL } from "../support/lines";
import { addMember, addOrganization, codeOf, firstAgentId } from "../support/people";
import { Receiver } from "../support/receiver";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";
import { addEndpoint, addEvents, webhookClient } from "../support/webhooks";

const ALLOWED = { ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" };

describeGateway({ engine: "any", env: ALLOWED }, (gateway, engine) => {
  const keep = closedAfterEach();
  let agentId: string;
  const api = webhookClient(gateway);
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
  });
  afterEach(async () => {
    for (const { id } of (await api.list()).body.data.webhookEndpoints) await api.delete(id);
  });

  const problemsOf = ({ body }: Reply) => body.errors[0].extensions.problems;
  let slugs = 0;
  const newOrganization = () => addOrganization(gateway, `webhooks-${engine.name.toLowerCase()}-${++slugs}`);
  const write = (statement: string, parameters: unknown[] = []) =>
    gateway.rows.execute(statement, parameters);
  /** Creates deliveries from events, like a delivering process, but does not send them. */
  async function dispatch(endpointId: string, count: number): Promise<void> {
    const stop = gateway.services.webhookDispatcher.start();
    const deliveries = () => gateway.rows.countBy(WebhookDelivery, { endpointId });
    await waitUntil(async () => (await deliveries()) >= count);
    await stop();
  }

  test("an endpoint is created with a secret that is shown once, changed, disabled, enabled and deleted", async () => {
    const input = {
      agentId,
      url: ` ${PUBLIC_URL} `,
      types: ["line_paused", "line_paused"],
      description: "CRM",
    };
    const created = await api.create({ ...input, idempotencyKey: "one" });
    const { endpoint, signingSecret } = created.body.data.createWebhookEndpoint;
    expect(signingSecret).toMatch(/^whsec_/);
    expect(endpoint).toEqual({
      ...{ id: expect.any(String), agentId, url: PUBLIC_URL, description: "CRM", types: ["line_paused"] },
      ...{ state: "active", disabledReason: null, failingSince: null },
      ...{ secretGeneration: 1, previousSecretUntil: null },
      createdAt: expect.any(String),
      updatedAt: endpoint.createdAt,
    });
    const again = (await api.create({ ...input, idempotencyKey: "one" })).body.data.createWebhookEndpoint;
    expect(again).toEqual({ endpoint, signingSecret: null });
    expect((await api.list(agentId)).body.data.webhookEndpoints).toEqual([endpoint]);
    const { id } = endpoint;
    const changed = await api.update({ id, url: `${PUBLIC_URL}/v2`, types: null, description: null });
    expect(changed.body.data.updateWebhookEndpoint).toMatchObject({
      ...{ url: `${PUBLIC_URL}/v2`, types: null, description: null },
    });
    const disabled = (await api.disable(id)).body.data.disableWebhookEndpoint;
    expect(disabled).toMatchObject({ state: "disabled", disabledReason: "requested" });
    const enabled = (await api.enable(id)).body.data.enableWebhookEndpoint;
    expect(enabled).toMatchObject({ state: "active", disabledReason: null });
    const rotate = async () =>
      (await api.rotate(id, { idempotencyKey: "two" })).body.data.rotateWebhookSecret;
    const rotated = await rotate();
    expect(await rotate()).toEqual({ endpoint: rotated.endpoint, signingSecret: null });
    expect(rotated.endpoint.previousSecretUntil).not.toBeNull();
    expect(rotated.signingSecret).not.toBe(signingSecret);
    await api.delete(id);
    expect((await api.find(id)).body.data.webhookEndpoint).toBeNull();
    expect(codeOf(await api.enable(id))).toBe("not_found");
    expect(codeOf(await api.create({ ...input, idempotencyKey: "one" }))).toBe("not_found");
    const log = await auditLog(gateway, { targetId: id });
    expect(log.map(({ action }: { action: string }) => action)).toEqual([
      ...["webhook_endpoint_deleted", "webhook_endpoint_secret_rotated", "webhook_endpoint_enabled"],
      ...["webhook_endpoint_disabled", "webhook_endpoint_updated", "webhook_endpoint_created"],
    ]);
    expect(log[4]?.changes).toEqual([
      { field: "url", before: PUBLIC_URL, after: `${PUBLIC_URL}/v2` },
      { field: "description", before: "CRM", after: null },
      { field: "types", before: "line.paused", after: null },
    ]);
    const everywhere = JSON.stringify(log) + gateway.log() + (await api.list()).text;
    for (const secret of [signingSecret, rotated.signingSecret])
      expect(everywhere).not.toContain(secret.slice("whsec_".length));
  });

  test("a change to the current values changes nothing", async () => {
    const { id } = await addEndpoint(gateway, { agentId, types: ["line_paused"] });
    const before = (await api.find(id)).body.data.webhookEndpoint;
    await api.update({ id, url: PUBLIC_URL, types: ["line_paused"] });
    await api.enable(id);
    expect((await api.find(id)).body.data.webhookEndpoint).toEqual(before);
    expect(await auditLog(gateway, { targetId: id })).toHaveLength(1);
  });

  const PRIVATE = "must not be at a private or reserved address";
  test.each([
    ["url", PRIVATE, "http://10.0.0.1/"],
    ["url", PRIVATE, "http://169.254.169.254/latest"],
    ["url", PRIVATE, "http://[::1]/"],
    ["url", "must be an http or https URL", "ftp://93.184.215.14/"],
    ["url", "must not contain a user name or password", "https://me:secret@93.184.215.14/"],
    ["url", "must not contain a fragment", "https://93.184.215.14/#part"],
    ["url", "must contain a host name that resolves to an address", "https://no-such-host.invalid/"],
    ["url", "must have at most 2048 characters", `https://93.184.215.14/${"x".repeat(2_048)}`],
    ["types", "must not be empty", []],
    ["description", "must have at most 200 characters", "x".repeat(201)],
  ])("the %s of a new or changed endpoint %s", async (field, message, value) => {
    const { id } = await addEndpoint(gateway, { agentId });
    for (const reply of [
      await api.create({ agentId, url: PUBLIC_URL, [field]: value }),
      await api.update({ id, [field]: value }),
    ]) {
      expect(codeOf(reply)).toBe("invalid_request");
      expect(problemsOf(reply)).toEqual([{ path: `input.${field}`, message }]);
    }
  });

  test(`an organization has at most ${MAX_ENDPOINTS} endpoints, even if they are created at the same time`, async () => {
    const { agentId: theirs, manager } = await newOrganization();
    const replies = await Promise.all(
      Array.from({ length: MAX_ENDPOINTS + 3 }, () =>
        api.create({ agentId: theirs, url: PUBLIC_URL }, { token: manager.token }),
      ),
    );
    expect(replies.map(codeOf).sort()).toEqual([
      ...Array(3).fill("limit_reached"),
      ...Array(MAX_ENDPOINTS).fill(undefined),
    ]);
    const all = (await api.list(undefined, { token: manager.token })).body.data.webhookEndpoints;
    await api.delete(all[0].id, { token: manager.token });
    const reply = await api.create({ url: PUBLIC_URL }, { token: manager.token });
    expect(codeOf(reply)).toBeUndefined();
    expect(reply.body.data.createWebhookEndpoint.endpoint.agentId).toBeNull();
  });

  test("a list of an agent's endpoints includes the endpoints of all agents", async () => {
    const { id: own } = await addEndpoint(gateway, { agentId });
    const { id: all } = await addEndpoint(gateway);
    const ids = (reply: Reply) => reply.body.data.webhookEndpoints.map(({ id }: { id: string }) => id);
    expect(ids(await api.list(agentId))).toEqual([own, all]);
    const { manager, agentId: theirs } = await newOrganization();
    expect(ids(await api.list(theirs, { token: manager.token }))).toEqual([]);
  });

  test("a test event is sent immediately, signed, outside of the stream, even to a disabled endpoint", async () => {
    const receiver = await keep(Receiver.start());
    const { id, secret } = await addEndpoint(gateway, { agentId, url: receiver.url() });
    await api.disable(id);
    const before = (await gateway.rest("GET", "/agent/events?limit=100")).body.length;
    const { body } = await api.test(id);
    expect(body.data.sendTestEvent).toEqual({
      ...{ outcome: "accepted", status: 200, code: null, detail: "The endpoint accepted the event." },
      durationMs: expect.any(Number),
    });
    const { body: text, headers } = receiver.onlyRequest();
    const event = new Webhook(secret).verify(text, headers);
    expect(event).toEqual({
      id: headers["webhook-id"],
      type: "webhook.test",
      timestamp: expect.any(String),
      agentId,
      subject: `webhook_endpoint:${id}`,
      position: null,
      data: { endpointId: id },
    });
    const document = (await gateway.rest("GET", "/openapi.json", { token: null })).body;
    const { schema } = document.webhooks["webhook.test"].post.requestBody.content["application/json"];
    expect(addFormats.default(new Ajv2020({ strict: false })).validate(schema, event)).toBe(true);
    expect((await gateway.rest("GET", "/agent/events?limit=100")).body).toHaveLength(before);
    expect((await api.deliveries(id)).body.data.webhookDeliveries.nodes).toEqual([]);
    receiver.reaction = (response) => response.writeHead(401).end("no");
    expect((await api.test(id)).body.data.sendTestEvent).toMatchObject({
      ...{
        outcome: "permanent",
        status: 401,
        code: "http_401",
        detail: "The receiver responded with 401: no",
      },
    });
    const [entry] = await auditLog(gateway, { targetId: id });
    expect(entry).toMatchObject({ action: "webhook_endpoint_tested" });
  });

  test("the log of deliveries is read page by page, newest first, and by state, type and event", async () => {
    const { id } = await addEndpoint(gateway, { agentId });
    const subjects = Array.from({ length: 5 }, () => crypto.randomUUID());
    await addEvents(gateway, agentId, subjects);
    await addEvents(gateway, agentId, subjects.slice(0, 2), "line.resumed");
    await dispatch(id, 7);
    const list = async (args: object) => (await api.deliveries(id, args)).body.data.webhookDeliveries;
    const first = await list({ first: 4 });
    const second = await list({ first: 4, after: first.pageInfo.endCursor });
    const positions = [...first.nodes, ...second.nodes].map(({ position }) => Number(position));
    expect(positions).toEqual([...positions].sort((a, b) => b - a));
    expect([positions.length, second.pageInfo.hasNextPage]).toEqual([7, false]);
    expect((await list({ type: "line_resumed" })).nodes).toHaveLength(2);
    expect((await list({ state: "pending", type: "line_paused" })).nodes).toHaveLength(5);
    expect((await list({ state: "failed" })).nodes).toEqual([]);
    const [one] = first.nodes;
    expect((await list({ eventId: one.eventId })).nodes).toEqual([one]);
    expect((await list({ eventId: "no id" })).nodes).toEqual([]);
    for (const type of ["no.such", "", "\0"])
      expect((await api.deliveries(id, { type })).body.errors[0].extensions).toMatchObject({
        ...{ code: "invalid_request", problems: [{ path: "type" }] },
      });
    expect(codeOf(await api.deliveries(id, { after: "no cursor" }))).toBe("invalid_cursor");
  });

  test("housekeeping deletes old deliveries, and all data of deleted endpoints", async () => {
    const { id } = await addEndpoint(gateway, { agentId });
    await addEvents(
      gateway,
      agentId,
      Array.from({ length: 3 }, () => crypto.randomUUID()),
    );
    await dispatch(id, 3);
    const [oldest] = (await api.deliveries(id)).body.data.webhookDeliveries.nodes;
    await write("update webhook_delivery set created_at = $1 where id = $2", [
      timestamp(-8 * DAY_MS),
      oldest.id,
    ]);
    await purge(gateway.services.database, { RETENTION_DELIVERIES_DAYS: 7 });
    expect((await api.deliveries(id)).body.data.webhookDeliveries.nodes).toHaveLength(2);
    await api.delete(id);
    await deleteEndpoints(gateway.services.database);
    for (const [table, column] of [
      ["webhook_endpoint", "id"],
      ["webhook_cursor", "endpoint_id"],
      ["webhook_delivery", "endpoint_id"],
    ])
      expect(await write(`select 1 from ${table} where ${column} = $1`, [id])).toEqual([]);
  });

  test("redeliver needs either a past time or an existing position, of events that are kept", async () => {
    const { agentId: theirs, manager } = await newOrganization();
    const token = { token: manager.token };
    const make = async (input: object) =>
      (await api.create({ url: PUBLIC_URL, ...input }, token)).body.data.createWebhookEndpoint.endpoint.id;
    const id = await make({ agentId: theirs });
    const ofAll = await make({});
    const rejection = async (from: { since?: string; after?: string }, endpoint = id) =>
      codeOf(await api.redeliver(endpoint, from, token));
    const since = timestamp(-DAY_MS);
    expect(await rejection({})).toBe("invalid_request");
    expect(await rejection({ since, after: "0" })).toBe("invalid_request");
    expect(await rejection({ after: "0" }, ofAll)).toBe("invalid_request");
    expect(await rejection({ after: "x" })).toBe("invalid_cursor");
    expect(await rejection({ after: "99999" })).toBe("invalid_cursor");
    expect(await rejection({ since: timestamp(DAY_MS) })).toBeUndefined();
    await addEvents(
      gateway,
      theirs,
      Array.from({ length: 4 }, () => crypto.randomUUID()),
    );
    expect(await rejection({ since })).toBeUndefined();
    await write("delete from event where agent_id = $1 and position <= 2", [theirs]);
    expect(await rejection({ after: "1" })).toBe("position_expired");
    // Before the oldest event that is still kept.
    const long = timestamp(-31 * DAY_MS);
    expect(await rejection({ since: long })).toBe("position_expired");
    expect(await rejection({ since: long }, ofAll)).toBe("position_expired");
    expect(await rejection({ since })).toBeUndefined();
    expect(await rejection({ since }, ofAll)).toBeUndefined();
    expect(await rejection({ after: "2" })).toBeUndefined();
    await write("update event set created_at = $1 where agent_id = $2 and position = 3", [
      timestamp(-32 * DAY_MS),
      theirs,
    ]);
    expect(await rejection({ since: long })).toBeUndefined();
    await api.disable(id, token);
    expect(await rejection({ after: "2" })).toBe("conflict");
  });

  test("redeliver from a time starts with the first event at or after it", async () => {
    const { agentId: theirs, manager } = await newOrganization();
    const token = { token: manager.token };
    const { body } = await api.create({ agentId: theirs, url: PUBLIC_URL }, token);
    const { id } = body.data.createWebhookEndpoint.endpoint;
    const cursor = async () => {
      const [row] = await write("select position from webhook_cursor where endpoint_id = $1", [id]);
      return Number(row.position);
    };
    const start = await cursor();
    await write("update event set created_at = $1 where agent_id = $2", [timestamp(-DAY_MS), theirs]);
    await addEvents(
      gateway,
      theirs,
      Array.from({ length: 20 }, () => crypto.randomUUID()),
    );
    for (let i = 1; i <= 20; i += 1)
      await write("update event set created_at = $1 where agent_id = $2 and position = $3", [
        timestamp((i - 21) * 60_000),
        theirs,
        start + i,
      ]);
    for (const i of [20, 13, 12, 2, 1]) {
      await write("update webhook_cursor set position = $1 where endpoint_id = $2", [start + 20, id]);
      const missed = await api.missed(id, { since: timestamp((i - 21) * 60_000 - 30_000) }, token);
      expect(missed.body.data.missedWebhookEvents).toEqual({ count: 21 - i, isExact: true });
      await api.redeliver(id, { since: timestamp((i - 21) * 60_000 - 30_000) }, token);
      expect(await cursor()).toBe(start + i - 1);
    }
    // The cursor never moves forward, because undelivered events must not be skipped.
    await api.redeliver(id, { since: timestamp() }, token);
    expect(await cursor()).toBe(start);
    await api.update({ id, types: ["line_resumed"] }, token);
    expect((await api.missed(id, { after: "0" }, token)).body.data.missedWebhookEvents.count).toBe(0);
  });

  test("sent bodies are shown only to members who may read conversations", async () => {
    const { id } = await addEndpoint(gateway, { agentId });
    await addEvents(gateway, agentId, [crypto.randomUUID()]);
    await dispatch(id, 1);
    const ask = async (token: string, field: string) =>
      gateway.graphql(
        `query ($id: ID!) { webhookDeliveries(endpointId: $id) { nodes { ${field} } } }`,
        { id },
        { token },
      );
    const manager = await addMember(gateway, { manage: true });
    const permissions = [Permission.config_manage, Permission.conversations_read];
    const reader = await addMember(gateway, { permissions });
    const key = await mintForOrganization(gateway, { scopes: ["webhooks:manage"] });
    expect(
      JSON.parse((await ask(reader.token, "body")).body.data.webhookDeliveries.nodes[0].body),
    ).toMatchObject({ type: "line.paused" });
    for (const token of [manager.token, key.secret]) {
      expect(codeOf(await ask(token, "id state lastAttempts { headers }"))).toBeUndefined();
      expect(codeOf(await ask(token, "body"))).toBe("forbidden");
    }
  });
});

describeGateway(
  { engine: "any", env: { INSTANCE_KEY: "", ENVIRONMENT: "development" } },
  (gateway, engine) => {
    test("without an instance key, no endpoint can be created on PostgreSQL, and the response says so", async () => {
      const reply = await webhookClient(gateway).create({ url: PUBLIC_URL });
      if (engine.name === "SQLite") expect(codeOf(reply)).toBeUndefined();
      else {
        expect(codeOf(reply)).toBe("conflict");
        expect(reply.body.errors[0].message).toContain("INSTANCE_KEY");
      }
    });
  },
);
