import { Decision } from "../../src/features/decisions/decision.entity";
import { ModelUsage } from "../../src/features/decisions/model/model-usage.entity";
import { decisionClient, publish } from "../support/decisions";
import { onEachEngine, type TestDatabase } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";
import { scrape } from "../support/metrics";
import { completion } from "../support/model";
import { firstAgentId } from "../support/people";
import { Receiver } from "../support/receiver";
import { waitUntil } from "../support/wait-until";

const DOCUMENT = {
  situations: { ask: {} },
  templates: { prompt: "Answer." },
  rules: [{ id: "ask", on: "ask", do: [{ ask: { prompt: "prompt" } }] }],
  otherwise: [{ addTags: ["unanswered"] }],
};

onEachEngine((engine) => {
  let database: TestDatabase;
  let server: Receiver;
  let workers: TestGateway[];
  let agentId: string;
  beforeAll(async () => {
    database = await engine.createMigratedDatabase();
    server = await Receiver.start();
    const start = (signInOwner: boolean, more: object = {}) =>
      startGateway(engine, {
        env: { MODEL_URL: `${server.url()}v1`, MODEL_NAME: "small", DELIVERY_WORKERS: "8", ...more },
        database: { url: database.url, drop: async () => undefined },
        signInOwner,
      });
    workers = [await start(true), await start(false, { MODEL_CONCURRENCY: "7" })];
    agentId = await firstAgentId(workers[0] as TestGateway);
  });
  afterAll(async () => {
    for (const worker of workers) await worker.close();
    await server.close();
    await database.drop();
  });

  test.each([3, 0])(
    "several processes ask exactly %i times per day, and `otherwise` applies to the rest",
    async (max) => {
      const [gateway] = workers as [TestGateway];
      await gateway.services.database.write((tx) => tx.delete(ModelUsage, { agentId }));
      await publish(gateway, agentId, { ...DOCUMENT, maxAsksPerDay: max });
      server.received.length = 0;
      server.reaction = (response) => response.end(completion({ text: null }));
      const { decide, find } = decisionClient(gateway);
      const replies = await Promise.all(Array.from({ length: 8 }, () => decide({ type: "ask" })));
      const read: TestGateway["services"]["database"]["read"] = (query) =>
        gateway.services.database.read(query);
      await waitUntil(async () => {
        for (const { services } of workers) services.lanes.notify();
        return !(await read((reader) => reader.existsBy(Decision, { state: "deciding" })));
      });
      const bodies = await Promise.all(replies.map(async ({ body }) => (await find(body.id)).body));
      const failed = bodies.filter(({ failedEffects }) => failedEffects > 0);
      expect([server.received.length, failed.length]).toEqual([max, 8 - max]);
      for (const { explanation } of failed)
        expect(explanation).toMatchObject({
          effects: [
            {
              kind: "ask",
              status: "failed",
              error: {
                code: "limit_reached",
                message: `The agent can make at most ${max} requests to the model per day (UTC).`,
              },
            },
            { kind: "addTags" },
          ],
        });
      for (const { explanation } of failed) expect(explanation).not.toHaveProperty("model");
      const usage = await read((reader) => reader.findBy(ModelUsage, { agentId }));
      expect(usage.map(({ asks }) => asks)).toEqual(max > 0 ? [max] : []);
    },
  );

  test("questions beyond the limit are counted as failed effects", async () => {
    let total = 0;
    for (const worker of workers)
      total += (await scrape(worker)).total("gateway_effects_total", { kind: "ask", code: "limit_reached" });
    expect(total).toBe(13);
  });
});
