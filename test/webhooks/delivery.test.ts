import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { v7 as uuid } from "uuid";
import { DAY_MS, timestamp } from "../../src/common/time";
import { AuditEntry } from "../../src/features/audit/audit-entry.entity";
import { disableRestoredEndpoints, MOVE_RESTORED_POSITIONS } from "../../src/features/restores/restore-steps";
import { MAX_ATTEMPTS } from "../../src/features/webhooks/webhook-retries";
import { closedAfterEach } from "../support/closing";
import { type GatewayOptions, type Reply, startGateway } from "../support/gateway";
import { addOrganization, codeOf, firstAgentId, operatorOfAgent } from "../support/people";
import { type Reaction, type Received, Receiver } from "../support/receiver";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";
import { addEndpoint, addEvents, webhookClient } from "../support/webhooks";

const SENDS = {
  env: { DELIVERY_WORKERS: "8", ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" },
} satisfies GatewayOptions;

const answering =
  (status: number, headers: Record<string, string> = {}): Reaction =>
  (response) =>
    response.writeHead(status, headers).end();

const eventIn = ({ body }: Received) => JSON.parse(body);

describeGateway({ engine: "any", ...SENDS }, (gateway, engine) => {
  const keep = closedAfterEach();
  let agentId: string;
  const api = webhookClient(gateway);
  let receiver: Receiver;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
  });
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    for (const { id } of (await api.list()).body.data.webhookEndpoints) await api.delete(id);
  });

  const startReceiver = () => keep(Receiver.start());
  const write = (statement: string, parameters: unknown[]) => gateway.rows.execute(statement, parameters);
  const endpointTo = (to = receiver, more: object = {}) =>
    addEndpoint(gateway, { agentId, url: to.url(), ...more });
  const arrived = (count: number, at = receiver) => waitUntil(() => at.received.length >= count);
  const deliveriesTo = async (id: string, args: object = {}) =>
    (await api.deliveries(id, { first: 100, ...args })).body.data.webhookDeliveries.nodes;
  /** Waits until `count` deliveries to an endpoint match. */
  async function become(id: string, count: number, expected: Record<string, unknown>, args: object = {}) {
    let found: Record<string, unknown>[] = [];
    await waitUntil(async () => {
      const all: Record<string, unknown>[] = await deliveriesTo(id, args);
      found = all.filter((each) => Object.entries(expected).every(([field, value]) => each[field] === value));
      return found.length >= count;
    });
    return found;
  }
  const stateOf = async (id: string) => (await api.find(id)).body.data.webhookEndpoint;
  async function becomeEndpoint(id: string, state: string) {
    await waitUntil(async () => (await stateOf(id)).state === state);
    return stateOf(id);
  }
  /** Makes all next attempts due. */
  async function hurry(endpointId: string): Promise<void> {
    const past = timestamp(-1);
    await write(
      "update webhook_delivery set not_before = $1 where endpoint_id = $2 and not_before is not null",
      [past, endpointId],
    );
    await write("update lane set wake_at = $1 where kind = 'webhook' and lease is null", [past]);
    gateway.services.lanes.notify();
  }
  const newSubjects = (count: number) => Array.from({ length: count }, () => uuid());
  /** Returns the positions that a receiver accepted, by subject, in order of arrival. */
  function positionsBySubject(received: readonly Received[]) {
    const bySubject = new Map<string, number[]>();
    for (const { subject, position } of received.map(eventIn))
      bySubject.set(subject, [...(bySubject.get(subject) ?? []), Number(position)]);
    return bySubject;
  }

  test("an event arrives as one POST that standardwebhooks and svix verify, with exactly the documented members", async () => {
    const { id, secret } = await endpointTo();
    const { body } = await gateway.rest("POST", "/agent/contacts", { body: { ref: "anna", name: "Anna" } });
    await arrived(1);
    const { headers, body: text } = receiver.onlyRequest();
    const [event] = (await gateway.rest("GET", "/agent/events?limit=100")).body.slice(-1);
    expect(event).toMatchObject({ type: "contact.created", subject: `contact:${body.id}` });
    expect(Object.keys(eventIn({ body: text } as Received))).toEqual([
      ...["id", "type", "timestamp", "agentId", "subject", "position", "data"],
    ]);
    for (const Verifier of [Webhook, SvixWebhook])
      expect(new Verifier(secret).verify(text, headers)).toEqual(event);
    expect(headers["webhook-id"]).toBe(event.id);
    expect(headers).toMatchObject({ "content-type": "application/json" });
    const [delivery] = await become(id, 1, { state: "delivered" });
    expect(delivery).toMatchObject({
      ...{
        endpointId: id,
        agentId,
        position: event.position,
        eventId: event.id,
        type: event.type.replace(".", "_"),
      },
      ...{ subject: event.subject, attempts: 1, lastStatus: 200, lastError: null, notBefore: null },
      lastDurationMs: expect.any(Number),
      deliveredAt: expect.any(String),
    });
  });

  test("the log contains the body and the headers as sent, and each attempt with its response", async () => {
    receiver.reaction = (response) => response.writeHead(503).end("Out of order");
    const { id } = await endpointTo();
    const [subject] = newSubjects(1) as [string];
    await addEvents(gateway, agentId, [subject, subject]);
    await become(id, 1, { attempts: 1 });
    const [second, first] = await deliveriesTo(id);
    expect([first.waitsFor, second.waitsFor]).toEqual([null, first.eventId]);
    receiver.reaction = answering(200);
    await hurry(id);
    const delivered = await become(id, 2, { state: "delivered" });
    const [sent, again] = receiver.received as [Received, Received];
    const { lastAttempts, waitsFor } = delivered.find(({ eventId }) => eventId === first.eventId) ?? {};
    const body = await api.bodyOf(id, first.eventId);
    expect([sent.body, again.body, waitsFor]).toEqual([body, body, null]);
    const endedAt = expect.any(String);
    const durationMs = expect.any(Number);
    expect(lastAttempts).toEqual([
      {
        ...{ endedAt, durationMs, status: 503, error: "The receiver responded with 503: Out of order" },
        headers: expect.objectContaining({ "webhook-signature": sent.headers["webhook-signature"] }),
      },
      {
        ...{ endedAt, durationMs, status: 200, error: null },
        headers: expect.objectContaining({ "webhook-signature": again.headers["webhook-signature"] }),
      },
    ]);
    for (const [name, value] of Object.entries((lastAttempts as { headers: object }[])[1]?.headers ?? {}))
      expect([name, again.headers[name]]).toEqual([name, value]);
  });

  test("a delivery is sent again on request, and its last 10 attempts are kept", async () => {
    const { id } = await endpointTo();
    await addEvents(gateway, agentId, newSubjects(1));
    const [delivery] = await become(id, 1, { state: "delivered" });
    const deliveryId = String(delivery?.id);
    for (let i = 2; i <= 12; i += 1) {
      expect((await api.resend(deliveryId)).body.data.resendWebhookDelivery).toMatchObject({
        ...{ id: deliveryId, deliveredAt: null },
      });
      await arrived(i);
      await become(id, 1, { state: "delivered" });
    }
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    const [resent] = await deliveriesTo(id);
    expect([resent.attempts, resent.lastAttempts.length]).toEqual([1, 10]);
    await write("delete from event where id = $1", [delivery?.eventId]);
    expect(codeOf(await api.resend(deliveryId))).toBe("position_expired");
    expect(await api.bodyOf(id, String(delivery?.eventId))).toBeNull();
    await api.disable(id);
    expect(codeOf(await api.resend(deliveryId))).toBe("conflict");
  });

  test("a delivery that is sent again waits for an earlier pending event with the same subject", async () => {
    const { id } = await endpointTo();
    const [subject] = newSubjects(1) as [string];
    await addEvents(gateway, agentId, [subject, subject]);
    const [later, earlier] = await become(id, 2, { state: "delivered" });
    receiver.reaction = answering(500);
    expect((await api.resend(String(earlier?.id))).body.data.resendWebhookDelivery.waitsFor).toBeNull();
    await become(id, 1, { state: "pending", attempts: 1 });
    const { resendWebhookDelivery } = (await api.resend(String(later?.id))).body.data;
    expect(resendWebhookDelivery).toMatchObject({ state: "pending", waitsFor: earlier?.eventId });
    receiver.reaction = answering(200);
    await hurry(id);
    await become(id, 2, { state: "delivered" });
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids.slice(-2)).toEqual([earlier?.eventId, later?.eventId]);
  });

  test("pending events are sent to a new URL immediately, even if the old one was about to fail once more", async () => {
    const end: (() => void)[] = [];
    receiver.reaction = (response) => void end.push(() => response.writeHead(500).end());
    const { id } = await endpointTo();
    const [subject, other] = newSubjects(2) as [string, string];
    await addEvents(gateway, agentId, [subject]);
    await arrived(1);
    end.pop()?.();
    await become(id, 1, { attempts: 1 });
    await write("update webhook_delivery set attempts = 6 where endpoint_id = $1", [id]);
    await hurry(id);
    await arrived(2);
    const correct = await startReceiver();
    await api.update({ id, url: correct.url() });
    end.pop()?.();
    await arrived(1, correct);
    await addEvents(gateway, agentId, [other]);
    expect(await become(id, 2, { state: "delivered" })).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
  });

  test("a late response from an old URL says nothing about the new one", async () => {
    const end: (() => void)[] = [];
    receiver.reaction = (response) =>
      void end.push(() => response.writeHead(410, { "retry-after": "86400" }).end());
    const { id } = await endpointTo();
    await addEvents(gateway, agentId, newSubjects(1));
    await arrived(1);
    const correct = await startReceiver();
    await api.update({ id, url: correct.url() });
    end.pop()?.();
    await arrived(1, correct);
    expect(await become(id, 1, { state: "delivered" })).toMatchObject([{ attempts: 1 }]);
    expect(await stateOf(id)).toMatchObject({ state: "active", failingSince: null });
  });

  test("after a rotation, both secrets verify; after a day, only the new one does", async () => {
    const { id, secret } = await endpointTo();
    const rotated = (await api.rotate(id)).body.data.rotateWebhookSecret;
    expect(rotated.endpoint.secretGeneration).toBe(2);
    await addEvents(gateway, agentId, newSubjects(1));
    await arrived(1);
    const verifies = (key: string, { body, headers }: Received) => {
      try {
        new Webhook(key).verify(body, headers);
        return true;
      } catch {
        return false;
      }
    };
    const both = [secret, rotated.signingSecret];
    expect(both.map((key) => verifies(key, receiver.received[0] as Received))).toEqual([true, true]);
    await write("update webhook_endpoint set previous_until = $1 where id = $2", [timestamp(-1), id]);
    await addEvents(gateway, agentId, newSubjects(1));
    await arrived(2);
    expect(both.map((key) => verifies(key, receiver.received[1] as Received))).toEqual([false, true]);
  });

  test("an endpoint gets only the types that it names, of its agent or of all agents of its organization", async () => {
    const { agentId: foreign } = await addOrganization(gateway, `other-${engine.name}`.toLowerCase());
    const second = { slug: `second-${Date.now()}`, name: "Second" };
    const context = await operatorOfAgent(gateway, agentId);
    const all = await startReceiver();
    await endpointTo(receiver, { types: ["line_resumed"] });
    await addEndpoint(gateway, { url: all.url(), types: ["line_resumed", "line_paused"] });
    // Created later, so all of its events count.
    const { id: other } = await gateway.services.agents.create(context, second);
    const [mine, theirs, alien] = newSubjects(3) as [string, string, string];
    for (const type of ["line.paused", "line.resumed"] as const) {
      await addEvents(gateway, foreign, [alien], type);
      await addEvents(gateway, other, [theirs], type);
      await addEvents(gateway, agentId, [mine], type);
    }
    await arrived(1);
    await arrived(4, all);
    expect(receiver.received.map(eventIn)).toMatchObject([{ type: "line.resumed", subject: `line:${mine}` }]);
    expect(new Set(all.received.map(eventIn).map((event) => `${event.agentId} ${event.subject}`))).toEqual(
      new Set([`${agentId} line:${mine}`, `${other} line:${theirs}`]),
    );
  });

  slowTest(
    "an endpoint that was down gets all 100 events of 5 subjects afterwards, each subject in order",
    async () => {
      receiver.reaction = answering(503);
      const { id } = await endpointTo();
      const subjects = newSubjects(5);
      for (let i = 0; i < 10; i += 1) await addEvents(gateway, agentId, [...subjects, ...subjects]);
      await become(id, 5, { attempts: 1 });
      await hurry(id);
      await become(id, 5, { attempts: 2 });
      expect(receiver.received.length).toBe(10);
      expect(receiver.received[0]?.headers["webhook-id"]).toBeDefined();
      receiver.received.splice(0);
      receiver.reaction = answering(200);
      await hurry(id);
      await arrived(100);
      await become(id, 100, { state: "delivered" });
      expect(receiver.received).toHaveLength(100);
      const bySubject = positionsBySubject(receiver.received);
      expect([...bySubject.keys()].sort()).toEqual(subjects.map((subject) => `line:${subject}`).sort());
      for (const positions of bySubject.values()) {
        expect(positions).toHaveLength(20);
        expect(positions).toEqual([...positions].sort((a, b) => a - b));
      }
      expect(await stateOf(id)).toMatchObject({ state: "active", failingSince: null });
    },
  );

  test("a failed attempt is repeated with the same ID and a new signature, at growing intervals, before the next event", async () => {
    receiver.reaction = answering(500);
    const { id, secret } = await endpointTo();
    const [subject] = newSubjects(1) as [string];
    await addEvents(gateway, agentId, [subject, subject]);
    const waits = [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (const [i, seconds] of waits.entries()) {
      const before = Date.now();
      if (i > 0) await hurry(id);
      const [delivery] = await become(id, 1, { attempts: i + 1, state: "pending" });
      const waitsFor = Date.parse(String(delivery?.notBefore)) - before;
      expect(waitsFor).toBeGreaterThanOrEqual(seconds * 1_000 - 1);
      expect(waitsFor).toBeLessThan(seconds * 1_100 + 30_000);
    }
    await hurry(id);
    const [failed] = await become(id, 1, { state: "failed" });
    expect(failed).toMatchObject({ attempts: MAX_ATTEMPTS, lastStatus: 500, notBefore: null });
    expect(failed?.lastError).toBe("The receiver responded with 500.");
    await arrived(MAX_ATTEMPTS + 1);
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids.slice(0, MAX_ATTEMPTS)).size).toBe(1);
    expect(ids[MAX_ATTEMPTS]).not.toBe(ids[0]);
    for (const { body, headers } of receiver.received) new Webhook(secret).verify(body, headers);
  });

  test("an endpoint that answers 429 or 503 with Retry-After gets no earlier attempt", async () => {
    receiver.reaction = answering(429, { "retry-after": "7200" });
    const { id } = await endpointTo();
    await addEvents(gateway, agentId, newSubjects(1));
    const before = Date.now();
    const [delivery] = await become(id, 1, { attempts: 1 });
    expect(Date.parse(String(delivery?.notBefore)) - before).toBeGreaterThanOrEqual(7_200_000 - 1);
  });

  test("a redirect is not followed, and counts as a failure", async () => {
    const target = await startReceiver();
    receiver.reaction = answering(302, { location: target.url() });
    const { id } = await endpointTo();
    await addEvents(gateway, agentId, newSubjects(1));
    const [delivery] = await become(id, 1, { attempts: 1 });
    expect(delivery).toMatchObject({ state: "pending", lastStatus: 302 });
    expect(delivery?.lastError).toContain("does not follow redirects");
    expect(target.connections).toBe(0);
  });

  test("an endpoint that resolves to a private address is never connected to", async () => {
    const { id } = await endpointTo();
    await write("update webhook_endpoint set url = $1 where id = $2", ["http://10.1.2.3/", id]);
    await addEvents(gateway, agentId, newSubjects(1));
    const [delivery] = await become(id, 1, { attempts: 1 });
    expect(delivery).toMatchObject({ lastStatus: null, state: "pending" });
    expect(delivery?.lastError).toContain("private or reserved address");
  });

  test("an endpoint that answers 410 is disabled at the first response, and says so", async () => {
    receiver.reaction = answering(410);
    const { id } = await endpointTo();
    await addEvents(gateway, agentId, newSubjects(1));
    expect(await becomeEndpoint(id, "disabled")).toMatchObject({ disabledReason: "gone" });
    await addEvents(gateway, agentId, newSubjects(3));
    await hurry(id);
    const [entry] = await gateway.rows.find(AuditEntry, { where: { targetId: id }, order: { id: "DESC" } });
    expect(entry).toMatchObject({ action: "webhook_endpoint_disabled", actorKind: "system" });
    expect(entry?.changes).toContainEqual({ field: "disabledReason", before: null, after: "gone" });
    expect(gateway.log()).toContain("it responded with 410");
    expect(receiver.received).toHaveLength(1);
    // Pending deliveries continue when it is enabled; missed events are sent only on request.
    receiver.reaction = answering(200);
    await api.enable(id);
    await become(id, 1, { state: "delivered" });
    expect(receiver.received).toHaveLength(2);
  });

  test("an endpoint that has failed for five days, and for hours with one event, is disabled and says so; redeliver(since) then sends everything", async () => {
    const since = timestamp(-DAY_MS);
    receiver.reaction = answering(500);
    const { id } = await endpointTo();
    const [subject, missed] = newSubjects(2) as [string, string];
    await addEvents(gateway, agentId, [subject]);
    await become(id, 1, { attempts: 1 });
    const { failingSince } = await stateOf(id);
    expect(Date.parse(failingSince)).toBeLessThanOrEqual(Date.now());
    const fiveDaysAgo = timestamp(-5 * DAY_MS);
    const fail = async (attempts: number, start: string) => {
      await write("update webhook_endpoint set failing_since = $1 where id = $2", [start, id]);
      await write("update webhook_delivery set attempts = $1 where endpoint_id = $2", [attempts, id]);
      await hurry(id);
    };
    // Like the first attempts after the gateway was stopped for five days.
    for (const attempts of [1, 4]) {
      await fail(attempts, fiveDaysAgo);
      await become(id, 1, { attempts: attempts + 1 });
      expect(await stateOf(id)).toMatchObject({ state: "active" });
    }
    await fail(7, timestamp(-4 * DAY_MS - 60_000));
    await become(id, 1, { attempts: 8 });
    expect(await stateOf(id)).toMatchObject({ state: "active" });
    await fail(5, fiveDaysAgo);
    expect(await becomeEndpoint(id, "disabled")).toMatchObject({
      disabledReason: "failing",
      failingSince: fiveDaysAgo,
    });
    expect(gateway.log()).toContain("every attempt has failed for days");
    const failures = receiver.received.length;
    await addEvents(gateway, agentId, [missed, missed, missed]);
    expect(codeOf(await api.redeliver(id, { since }))).toBe("conflict");
    receiver.reaction = answering(200);
    expect((await api.enable(id)).body.data.enableWebhookEndpoint).toMatchObject({
      ...{ state: "active", disabledReason: null, failingSince: null },
    });
    await become(id, 1, { state: "delivered" });
    expect(receiver.received).toHaveLength(failures + 1);
    await write("update webhook_delivery set state = 'failed' where endpoint_id = $1", [id]);
    receiver.received.splice(0);
    const oldest = (await gateway.rest("GET", "/agent/events?limit=1")).body[0];
    const before = { since: oldest.timestamp };
    const { nodes: all } = await gateway.services.events.list(await operatorOfAgent(gateway, agentId), {
      agentId,
      first: 1_000,
      after: null,
    });
    // This includes events from before the endpoint was created.
    const ofIt = all.filter((event) => event.subject.endsWith(subject) || event.subject.endsWith(missed));
    expect(ofIt.length).toBeLessThan(all.length);
    expect((await api.missed(id, before)).body.data.missedWebhookEvents).toEqual({
      count: all.length,
      isExact: true,
    });
    expect(codeOf(await api.redeliver(id, before))).toBeUndefined();
    await arrived(all.length);
    for (const positions of positionsBySubject(receiver.received).values())
      expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"]))).toEqual(
      new Set(all.map((event) => event.id)),
    );
    await become(id, Math.min(100, all.length), { state: "delivered" });
    // Delivered events are not sent again.
    await api.redeliver(id, { after: "0" });
    await addEvents(gateway, agentId, [missed]);
    await arrived(all.length + 1);
    expect(receiver.received).toHaveLength(all.length + 1);
  });

  test("a hanging endpoint delays neither messages nor other endpoints", async () => {
    receiver.reaction = () => undefined;
    const other = await startReceiver();
    await endpointTo();
    await addEvents(gateway, agentId, newSubjects(30));
    await arrived(1);
    await endpointTo(other);
    await addEvents(gateway, agentId, newSubjects(1));
    await arrived(1, other);
    const { body } = await gateway.rest("POST", "/messages", { body: { message: "Hello" } });
    for (let reply: Reply | undefined; reply?.body.status !== "delivered"; )
      reply = await gateway.rest("GET", `/messages/${body.id}`);
    // An endpoint's senders are limited, regardless of the number of its subjects.
    expect(receiver.received.length).toBeLessThanOrEqual(2);
  });

  const FAILED = {
    "failed in this process": async (ids: readonly string[]) => {
      receiver.reaction = answering(500);
      await addEvents(gateway, agentId, newSubjects(1));
      for (const id of ids) await become(id, 1, { attempts: 1 });
    },
    "failed before it was started": async (ids: readonly string[]) => {
      for (const id of ids)
        await write("update webhook_endpoint set failing_since = $1 where id = $2", [timestamp(), id]);
    },
  };
  test.each(Object.entries(FAILED))(
    "endpoints that %s and hang leave a sender to one that responds",
    async (_, fail) => {
      let hanging = 0;
      let isOver = false;
      const subjects = newSubjects(20);
      const failing: string[] = [];
      for (let i = 0; i < 5; i++) failing.push((await endpointTo()).id);
      await fail(failing);
      receiver.reaction = (response) => {
        hanging += 1;
        response.once("close", () => {
          isOver = true;
        });
      };
      await addEvents(gateway, agentId, newSubjects(5));
      await waitUntil(() => hanging >= 1);
      const healthy = await startReceiver();
      await endpointTo(healthy);
      await addEvents(gateway, agentId, subjects);
      await arrived(subjects.length, healthy);
      expect([hanging, isOver]).toEqual([1, false]);
    },
  );

  test("an endpoint with endless responses is served as fast as any other", async () => {
    receiver.reaction = (response) => response.writeHead(200).write("thank you");
    const { id } = await endpointTo();
    await addEvents(gateway, agentId, newSubjects(20));
    await become(id, 20, { state: "delivered" });
  });

  slowTest(
    "a deactivated organization's endpoints get nothing until it is reactivated, and then everything",
    async () => {
      const slug = `paused-${engine.name}`.toLowerCase();
      const { agentId: theirs, manager } = await addOrganization(gateway, slug);
      const token = { token: manager.token };
      const { body } = await api.create({ agentId: theirs, url: receiver.url() }, token);
      const { id } = body.data.createWebhookEndpoint.endpoint;
      const switchTo = (field: string) => gateway.graphql(`mutation { ${field} { id } }`, {}, token);
      await switchTo("deactivateOrganization");
      const subjects = newSubjects(2);
      await addEvents(gateway, theirs, subjects);
      // A later event of another organization is delivered first.
      const other = await startReceiver();
      await endpointTo(other);
      await addEvents(gateway, agentId, newSubjects(1));
      await arrived(1, other);
      expect(receiver.received).toHaveLength(0);
      await switchTo("reactivateOrganization");
      await arrived(2);
      expect(
        receiver.received
          .map(eventIn)
          .map(({ subject }) => subject)
          .sort(),
      ).toEqual(subjects.map((subject) => `line:${subject}`).sort());
      await api.delete(id, token);
    },
  );

  test("a delivery whose event is no longer kept fails, and the next one continues", async () => {
    receiver.reaction = answering(500);
    const { id } = await endpointTo();
    const [subject] = newSubjects(1) as [string];
    await addEvents(gateway, agentId, [subject, subject]);
    const [first] = await become(id, 1, { attempts: 1 });
    await write("delete from event where id = $1", [first?.eventId]);
    receiver.reaction = answering(200);
    await hurry(id);
    const [failed] = await become(id, 1, { state: "failed" });
    expect(failed).toMatchObject({ eventId: first?.eventId, lastError: "The event is no longer stored." });
    await become(id, 1, { state: "delivered" });
  });

  test("erasing a contact empties the endpoints' responses to events about it", async () => {
    receiver.reaction = (response) => response.writeHead(500).end("Anna is unknown");
    const { id } = await endpointTo();
    const { body: contact } = await gateway.rest("POST", "/agent/contacts", {
      body: { addresses: [{ kind: "local", address: "anna" }] },
    });
    await gateway.rest("POST", "/agent/conversations", { body: { contact: { id: contact.id } } });
    await become(id, 2, { lastError: "The receiver responded with 500: Anna is unknown" });
    await gateway.rest("DELETE", `/agent/contacts/${contact.id}`);
    await waitUntil(async () => !(await api.deliveries(id)).text.includes("Anna"));
    await hurry(id);
    const isAgain = ({ attempts }: { attempts: number }) => attempts > 1;
    await waitUntil(async () => (await deliveriesTo(id)).filter(isAgain).length >= 2);
    expect((await api.deliveries(id)).text).not.toContain("Anna");
  });

  test("after a restore, nothing old is sent automatically; redeliver sends the deliveries pending in the backup", async () => {
    receiver.reaction = answering(500);
    const { id } = await endpointTo();
    await addEvents(gateway, agentId, newSubjects(1));
    const [pending] = await become(id, 1, { attempts: 1 });
    for (const { statement } of [MOVE_RESTORED_POSITIONS, ...disableRestoredEndpoints(timestamp())])
      await write(statement, []);
    receiver.reaction = answering(200);
    await hurry(id);
    expect(await stateOf(id)).toMatchObject({ state: "disabled", disabledReason: "restored" });
    await api.enable(id);
    await hurry(id);
    await addEvents(gateway, agentId, newSubjects(1));
    await become(id, 1, { state: "delivered" });
    expect(receiver.received).toHaveLength(2);
    const { timestamp: since } = JSON.parse(receiver.received[0]?.body ?? "{}");
    await api.redeliver(id, { since });
    await become(id, 2, { state: "delivered" });
    expect(receiver.received[2]?.headers["webhook-id"]).toBe(pending?.eventId);
    // No position is used twice.
    const { position } = JSON.parse(receiver.received[1]?.body ?? "{}");
    expect(Number(position) - Number(pending?.position)).toBeGreaterThan(1_000_000);
  });

  test("two processes deliver every event once while both run, each subject in order", async () => {
    const second = await keep(
      startGateway(engine, { ...SENDS, database: { url: gateway.databaseUrl }, signInOwner: false }),
    );
    await endpointTo();
    const subjects = newSubjects(7);
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => addEvents(i % 2 === 0 ? gateway : second, agentId, subjects)),
    );
    await arrived(140);
    const bySubject = positionsBySubject(receiver.received);
    expect(bySubject.size).toBe(7);
    for (const positions of bySubject.values()) {
      expect(positions).toHaveLength(20);
      expect(positions).toEqual([...positions].sort((a, b) => a - b));
    }
  });

  test("a killed process's delivery is made by another process after the lease has expired", async () => {
    const { id } = await endpointTo();
    receiver.reaction = answering(500);
    await addEvents(gateway, agentId, newSubjects(1));
    await become(id, 1, { attempts: 1 });
    receiver.reaction = answering(200);
    await write("update webhook_delivery set not_before = null where endpoint_id = $1", [id]);
    // The state after a process was killed while sending.
    await write(
      "update lane set lease = $1, lease_until = $2, wake_at = $2, needs_sender = $3 where kind = 'webhook'",
      [uuid(), timestamp(-1), true],
    );
    gateway.services.lanes.notify();
    const [delivery] = await become(id, 1, { state: "delivered" });
    expect(delivery).toMatchObject({ attempts: 2 });
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });
});
