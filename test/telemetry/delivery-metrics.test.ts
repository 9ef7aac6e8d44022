import { timestamp } from "../../src/common/time";
import { Metrics } from "../../src/telemetry/metrics";
import { closedAfterEach } from "../support/closing";
import { addConversation, conversationClient } from "../support/conversations";
import { addLine, addWebhookLine, lineClient } from "../support/lines";
import { scrape } from "../support/metrics";
import { firstAgentId } from "../support/people";
import { Receiver } from "../support/receiver";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

describeGateway({ engine: "one", env: { DELIVERY_WORKERS: "8" } }, (gateway) => {
  slowTest(
    "messages are counted by status, attempts by line and outcome, and deliveries are timed",
    async () => {
      const agentId = await firstAgentId(gateway);
      const api = conversationClient(gateway);
      const count = async (name: string, labels = {}) => (await scrape(gateway)).total(name, labels);
      const messages = (status: string) => count("gateway_messages_total", { status });
      for (const status of ["queued", "delivered", "canceled", "failed"])
        expect(await messages(status)).toBe(0);

      const line = await addLine(gateway, { agentId });
      await lineClient(gateway).pause(line.id);
      const { id } = await addConversation(gateway, { agentId, line: line.name });
      const first = await api.send(id, "one", { idempotencyKey: "one" });
      await api.send(id, "one", { idempotencyKey: "one" });
      await api.send(id, "two");
      expect(await messages("queued")).toBe(2);
      await waitUntil(async () => (await count("gateway_lanes", { state: "waiting" })) === 1);
      expect(await count("gateway_oldest_due_lane_seconds")).toBe(0);
      await gateway.rest("POST", `/messages/${first.body.data.sendToConversation.id}/cancel`);
      expect(await messages("canceled")).toBe(1);

      const attempts = { kind: "local", outcome: "accepted" };
      expect(await count("gateway_delivery_attempts_total", attempts)).toBe(0);
      await lineClient(gateway).resume(line.id);
      await waitUntil(async () => (await messages("delivered")) !== 0);
      expect(await messages("delivered")).toBe(1);
      expect(await count("gateway_delivery_attempts_total", attempts)).toBe(1);
      expect(await count("gateway_message_delivery_duration_seconds_count")).toBe(1);
      expect(await count("gateway_message_delivery_duration_seconds_sum")).toBeGreaterThan(0);
      await waitUntil(async () => (await count("gateway_lanes")) === 0);

      await lineClient(gateway).pause(line.id);
      await api.send(id, "three");
      await api.close(id);
      expect([await messages("queued"), await messages("canceled")]).toEqual([3, 2]);
    },
  );
});

describeGateway(
  { engine: "one", env: { DELIVERY_WORKERS: "8", ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" } },
  (gateway) => {
    const keep = closedAfterEach();
    test("sent messages are counted and timed", async () => {
      const receiver = await keep(Receiver.start());
      const agentId = await firstAgentId(gateway);
      const { id } = await addWebhookLine(gateway, { agentId, url: receiver.url() });
      await lineClient(gateway).setDefault(id);
      await gateway.rest("POST", "/messages", { body: { message: "Hello" } });
      const count = async (name: string, labels = {}) => (await scrape(gateway)).total(name, labels);
      const attempts = { kind: "webhook", outcome: "accepted" };
      await waitUntil(async () => (await count("gateway_delivery_attempts_total", attempts)) !== 0);
      expect(await count("gateway_delivery_attempts_total", attempts)).toBe(1);
      expect(await count("gateway_messages_total", { status: "sent" })).toBe(1);
      expect(await count("gateway_message_delivery_duration_seconds_count")).toBe(1);
    });
  },
);

describeGateway({ engine: "one" }, (gateway) => {
  test("work that no process handles is shown as due, with its age", async () => {
    await gateway.rest("POST", "/messages", { body: { message: "Waiting" } });
    await gateway.rows.execute("UPDATE lane SET wake_at = $1", [timestamp(-60_000)]);
    const { total } = await scrape(gateway);
    expect(total("gateway_lanes", { state: "due" })).toBe(1);
    expect(total("gateway_lanes", { state: "waiting" })).toBe(0);
    expect(total("gateway_oldest_due_lane_seconds")).toBeGreaterThanOrEqual(60);
  });

  test("lanes that wait for a slow receiver have no age, but lanes of a process that died do", async () => {
    await gateway.rest("POST", "/messages", { body: { message: "Waiting" } });
    const { database, lanes } = gateway.services;
    const minuteAgo = timestamp(-60_000);
    await database.write(async (tx) => {
      await tx.query("UPDATE lane SET wake_at = $1", [minuteAgo]);
      const all: { id: string }[] = await tx.query("SELECT id FROM lane");
      await lanes.awaitSender(
        tx,
        all.map(({ id }) => ({ laneId: id, channelId: id })),
      );
    });
    // Scrapes would show counts from before.
    const waiting = await lanes.counts();
    expect(waiting.due).toBeGreaterThan(0);
    expect(waiting.oldestDueSeconds).toBe(0);
    await database.write((tx) => tx.query("UPDATE lane SET lease_until = $1", [minuteAgo]));
    expect((await lanes.counts()).oldestDueSeconds).toBeGreaterThanOrEqual(60);
  });
});

test("concurrent scrapes share one count of the lanes", async () => {
  let counts = 0;
  const metrics = new Metrics();
  metrics.watchLanes(async () => {
    counts += 1;
    return { due: counts, waiting: 2, leased: 1, oldestDueSeconds: 3 };
  });
  const texts = await Promise.all([metrics.text(), metrics.text(), metrics.text()]);
  expect(counts).toBe(1);
  for (const text of texts) {
    expect(text).toContain('gateway_lanes{state="due"} 1');
    expect(text).toContain("gateway_oldest_due_lane_seconds 3");
  }
});

test("while the database is unavailable, the other metrics are shown without the lanes", async () => {
  const metrics = new Metrics();
  metrics.watchLanes(() => Promise.reject(new Error("gone")));
  const text = await metrics.text();
  expect(text).not.toMatch(/^gateway_(lanes|oldest)/m);
  expect(text).toContain("gateway_build_info{");
});
