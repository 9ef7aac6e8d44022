import { v7 as uuid } from "uuid";
import type { Database } from "../../src/database/database";
import { WebhookDispatcher } from "../../src/features/webhooks/webhook-dispatcher";
import { createLogger } from "../../src/logger";
import { describeGateway } from "../support/suite";

const NOW = "2026-01-01T00:00:00.000Z";
/** Max agents and endpoints in an organization. */
const AGENTS = 200;
const ENDPOINTS = 20;
/** How long it takes to create the deliveries of one endpoint and agent (ms). */
const WINDOW_MS = 100;

describeGateway((gateway) => {
  /**
   * Adds an organization whose endpoints have no deliveries yet.
   * @returns the IDs of its endpoints
   */
  async function addBehind(slug: string, agents: number, endpoints: number): Promise<string[]> {
    const organizationId = uuid();
    const ids = Array.from({ length: endpoints }, () => uuid());
    await gateway.services.database.write(async (tx) => {
      await tx.query("insert into organization (id, slug, name, created_at) values ($1, $2, $2, $3)", [
        organizationId,
        slug,
        NOW,
      ]);
      for (let i = 0; i < agents; i++) {
        const id = uuid();
        await tx.query(
          "insert into agent (id, organization_id, slug, name, created_at) values ($1, $2, $3, $3, $4)",
          [id, organizationId, `${slug}-${i}`, NOW],
        );
        await tx.query("insert into agent_stream (agent_id, last) values ($1, 1000)", [id]);
      }
      for (const id of ids)
        await tx.query(
          `insert into webhook_endpoint (id, organization_id, url, state, secret_generation, created_at, updated_at)
           values ($1, $2, 'https://example.com/', 'active', 1, $3, $3)`,
          [id, organizationId, NOW],
        );
    });
    return ids;
  }

  test("a few endpoints of an organization with a backlog of thousands are handled before others get a turn", async () => {
    const many = await addBehind("many", AGENTS, ENDPOINTS);
    const [few] = await addBehind("few", 1, 1);
    const { database, lanes } = gateway.services;
    const now = performance.now.bind(performance);
    let worked = 0;
    const clock = jest.spyOn(performance, "now").mockImplementation(() => now() + worked * WINDOW_MS);
    const looks: string[][] = [];
    let stop = async () => {};
    await new Promise<void>((ended) => {
      const slow = {
        listen: () => async () => undefined,
        read: async (read: Parameters<Database["read"]>[0]) => {
          const found = (await database.read(read)) as { endpointId: string }[];
          looks.push(found.map(({ endpointId }) => endpointId));
          if (looks.length === 3) void stop().then(ended);
          return found;
        },
        write: async () => {
          worked += 1;
          return true;
        },
      };
      const dispatcher = new WebhookDispatcher(slow as unknown as Database, lanes, createLogger("silent"));
      stop = dispatcher.start();
    });
    clock.mockRestore();
    for (const found of looks) {
      expect(found.slice(0, 2)).toContain(few);
      expect(found.filter((id) => many.includes(id))).not.toEqual([]);
    }
    expect(worked).toBeLessThan(10);
  });
});
