import type { FindOptionsWhere } from "typeorm";
import { operatorFor } from "../../src/auth/context";
import { timestamp } from "../../src/common/time";
import { loadConfig } from "../../src/config";
import { NO_WORK_OBSERVER } from "../../src/delivery/observer";
import { Senders } from "../../src/delivery/senders";
import { createServices, laneWork, type Services } from "../../src/features";
import type { Organization } from "../../src/features/organizations/organization.entity";
import { WebhookDelivery } from "../../src/features/webhooks/webhook-delivery.entity";
import { laneIdOf, WEBHOOK_LANE } from "../../src/features/webhooks/webhook-lane";
import { createLogger } from "../../src/logger";
import { onEachEngine } from "../support/engines";
import { type LoggedDatabase, openLogged } from "../support/query-plans";
import { waitUntil } from "../support/wait-until";
import { addEvents } from "../support/webhooks";

const ORGANIZATION = "01a1f000-0000-7000-8000-000000000001";
const AGENT = "01a1f000-0000-7000-8000-000000000002";
const ENDPOINT = "01a1f000-0000-7000-8000-000000000003";
const OLD = "2025-01-01T00:00:00.000Z";
const DELIVERIES = 4_000;

onEachEngine((engine) => {
  let logged: LoggedDatabase;
  let services: Services;
  const context = operatorFor({ id: ORGANIZATION, deactivatedAt: null } as Organization);
  beforeAll(async () => {
    logged = await openLogged(engine, ["event", "webhook_delivery", "delivery"]);
    const { database } = logged;
    services = createServices({ database, config: loadConfig({}), log: createLogger("silent") });
    for (const statement of [
      `insert into organization (id, slug, name, created_at) values ('${ORGANIZATION}', 'o', 'O', '${OLD}')`,
      `insert into agent (id, organization_id, slug, name, created_at)
       values ('${AGENT}', '${ORGANIZATION}', 'a', 'A', '${OLD}')`,
      `insert into webhook_endpoint (id, organization_id, url, state, secret_generation, created_at, updated_at)
       values ('${ENDPOINT}', '${ORGANIZATION}', 'https://example.com/', 'active', 1, '${OLD}', '${OLD}')`,
      `insert into contact (id, agent_id, attributes, version, created_at, updated_at)
       values ('${AGENT}', '${AGENT}', '{}', 1, '${OLD}', '${OLD}')`,
    ])
      await database.write((tx) => tx.query(statement));
    const subjects = Array.from({ length: 100 }, () => crypto.randomUUID());
    for (let i = 0; i < DELIVERIES / 100; i += 1) await addEvents({ services }, AGENT, subjects);
    await dispatch(DELIVERIES);
    await database.write((tx) =>
      tx.query("update webhook_delivery set state = 'delivered', last_error = 'x' where position <= $1", [
        String(DELIVERIES - 100),
      ]),
    );
    // Like autovacuum; SQLite plans queries without statistics.
    if (engine.name === "PostgreSQL") await database.write((tx) => tx.query("ANALYZE"));
  });
  afterAll(() => logged.close());

  const countOf = (where: FindOptionsWhere<WebhookDelivery>) => logged.rows.countBy(WebhookDelivery, where);

  /** Creates deliveries from events until there are `count`. */
  async function dispatch(count: number): Promise<void> {
    const stop = services.webhookDispatcher.start();
    await waitUntil(async () => (await countOf({})) >= count);
    await stop();
  }

  test("deliveries are created, started and finished with indexes, however many there have been", async () => {
    await addEvents({ services }, AGENT, [crypto.randomUUID()]);
    const { lanes, database } = services;
    await logged.expectIndexes(
      async () => {
        const stop = services.webhookDispatcher.start();
        await new Promise((resolve) => {
          const stopListening = lanes.onDue(() => resolve(stopListening()));
        });
        await stop();
        await database.write(async (tx) => {
          const due = (await lanes.lockDue(tx, { max: 8 })).map(({ id }) => id);
          const work = laneWork(services)(WEBHOOK_LANE);
          const context = {
            senders: new Senders(8).offer((laneId) => laneId),
            observer: NO_WORK_OBSERVER,
          };
          const { dispatches } = await work.start(tx, due, context);
          expect(dispatches).toHaveLength(8);
          const ended = dispatches.map((each) => ({
            ...{ ...each, messageId: each.message.id, isHeld: true },
            result: { outcome: "retryable", code: "http_500", detail: "x", status: 500 } as never,
          }));
          await work.finish(tx, ended, NO_WORK_OBSERVER);
        });
      },
      { reads: /with due/ },
    );
  });

  test.each([
    ["all", {}],
    ["of a state", { state: "failed" }],
    ["of an event", { eventId: AGENT }],
  ])("the log of deliveries is read with indexes: %s", async (_, filter) => {
    await logged.expectIndexes(
      () =>
        services.webhookLog.list(context, {
          ...{ endpointId: ENDPOINT, first: 20, after: null },
          ...(filter as object),
        }),
      { reads: /webhook_delivery/ },
    );
  });

  test("redelivery finds its position, and an erasure finds its deliveries, by indexes", async () => {
    await logged.expectIndexes(
      () =>
        services.redeliveries.redeliver(context, {
          id: ENDPOINT,
          from: { since: new Date(timestamp(-1_000)) },
        }),
      { reads: /from "?event"?/i },
    );
    await services.database.write((tx) => services.erasures.begin(tx, [AGENT]));
    await logged.expectIndexes(() => services.erasures.finish(AGENT, ORGANIZATION), {
      reads: /webhook_delivery/i,
    });
  });

  test("an erasure empties many errors in parts, and reads only the deliveries of its lanes", async () => {
    const laneId = laneIdOf(ENDPOINT, `contact:${AGENT}`);
    await services.database.write((tx) =>
      tx.query(
        "update webhook_delivery set lane_id = $1, state = 'failed', last_error = 'Anna' where position <= 220",
        [laneId],
      ),
    );
    await services.database.write((tx) => services.erasures.begin(tx, [AGENT]));
    logged.statements.length = 0;
    // On a slow machine, an erasure continues in the background, and a failed one is continued as in housekeeping.
    await waitUntil(async () => {
      await services.erasures.finish(AGENT, ORGANIZATION);
      return (await countOf({ lastError: "Anna" })) === 0;
    });
    const updates = logged.statements.filter(({ query }) => /^UPDATE "webhook_delivery"/.test(query));
    expect(updates.length).toBeGreaterThan(1);
    const found = logged.statements.find(({ query }) => /FROM "webhook_delivery"/.test(query));
    expect(await logged.planOf(found)).toMatch(/lane_id/);
  });
});
