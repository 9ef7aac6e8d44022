import { v7 as uuid } from "uuid";
import { timestamp } from "../../src/common/time";
import { Event } from "../../src/features/events/event.entity";
import { recordEvents } from "../../src/features/events/record-events";
import { WebhookDelivery, WebhookDeliveryState } from "../../src/features/webhooks/webhook-delivery.entity";
import { laneIdOf } from "../../src/features/webhooks/webhook-lane";
import type { Call, Reply, TestGateway } from "./gateway";
import { PUBLIC_URL } from "./lines";

const ENDPOINT = `id agentId url description types state disabledReason failingSince secretGeneration previousSecretUntil
  createdAt updatedAt`;
const WITH_SECRET = `endpoint { ${ENDPOINT} } signingSecret`;
const DELIVERY = `id endpointId agentId position eventId type subject state attempts notBefore lastStatus lastError
  lastDurationMs createdAt deliveredAt waitsFor lastAttempts { endedAt status error durationMs headers }`;

/** Calls the GraphQL fields of webhook endpoints, as the owner by default. */
export function webhookClient(gateway: TestGateway) {
  const call = (query: string, variables: object, more: Call = {}): Promise<Reply> =>
    gateway.graphql(query, variables as Record<string, unknown>, { token: gateway.owner, ...more });
  const byId =
    (field: string, fields = ENDPOINT) =>
    (id: string, more?: Call) =>
      call(`mutation ($id: ID!) { ${field}(input: { id: $id }) { ${fields} } }`, { id }, more);
  return {
    list: (agentId?: string, more?: Call) =>
      call(`query ($agentId: ID) { webhookEndpoints(agentId: $agentId) { ${ENDPOINT} } }`, { agentId }, more),
    find: (id: string, more?: Call) =>
      call(`query ($id: ID!) { webhookEndpoint(id: $id) { ${ENDPOINT} } }`, { id }, more),
    create: (input: object, more?: Call) =>
      call(
        `mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { ${WITH_SECRET} } }`,
        { input },
        more,
      ),
    update: (input: object, more?: Call) =>
      call(
        `mutation ($input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(input: $input) { ${ENDPOINT} } }`,
        { input },
        more,
      ),
    deliveries: (endpointId: string, args: object = {}, more?: Call) =>
      call(
        `query ($endpointId: ID!, $first: Int, $after: String, $state: WebhookDeliveryState, $type: EventType, $eventId: ID) {
          webhookDeliveries(endpointId: $endpointId, first: $first, after: $after, state: $state, type: $type, eventId: $eventId) {
            nodes { ${DELIVERY} } pageInfo { hasNextPage endCursor } } }`,
        { endpointId, ...args },
        more,
      ),
    bodyOf: async (endpointId: string, eventId: string) => {
      const { body } = await call(
        "query ($endpointId: ID!, $eventId: ID) { webhookDeliveries(endpointId: $endpointId, eventId: $eventId) { nodes { body } } }",
        { endpointId, eventId },
      );
      return body.data.webhookDeliveries.nodes[0].body as string | null;
    },
    redeliver: (id: string, from: { since?: Date | string; after?: string }, more?: Call) =>
      call(
        `mutation ($input: RedeliverInput!) { redeliver(input: $input) { ${ENDPOINT} } }`,
        { input: { id, from } },
        more,
      ),
    missed: (id: string, from: { since?: Date | string; after?: string }, more?: Call) =>
      call(
        `query ($id: ID!, $from: RedeliveryStart!) { missedWebhookEvents(id: $id, from: $from) { count isExact } }`,
        { id, from },
        more,
      ),
    rotate: (id: string, { idempotencyKey, ...more }: Call & { idempotencyKey?: string } = {}) =>
      call(
        `mutation ($input: RotateWebhookSecretInput!) { rotateWebhookSecret(input: $input) { ${WITH_SECRET} } }`,
        { input: { id, idempotencyKey } },
        more,
      ),
    enable: byId("enableWebhookEndpoint"),
    disable: byId("disableWebhookEndpoint"),
    delete: byId("deleteWebhookEndpoint"),
    resend: byId("resendWebhookDelivery", DELIVERY),
    test: byId("sendTestEvent", "outcome status code detail durationMs"),
  };
}

/** Adds a webhook endpoint, by default at an allowed address that is never called. */
export async function addEndpoint(
  gateway: TestGateway,
  input: { agentId?: string | null; url?: string; types?: string[]; description?: string } = {},
): Promise<{ id: string; secret: string }> {
  const { body } = await webhookClient(gateway).create({ url: PUBLIC_URL, ...input });
  const { endpoint, signingSecret } = body.data.createWebhookEndpoint;
  return { id: endpoint.id, secret: signingSecret };
}

/** Stores a failed delivery of a new event to an endpoint. */
export async function storeDelivery(
  gateway: Pick<TestGateway, "services">,
  { id: endpointId }: { id: string },
  agentId: string,
): Promise<string> {
  const id = uuid();
  await addEvents(gateway, agentId, [id]);
  await gateway.services.database.write(async (tx) => {
    const [{ id: eventId, type, position, subject }] = (await tx.find(Event, {
      where: { agentId },
      order: { position: "DESC" },
      take: 1,
    })) as [Event];
    await tx.insert(WebhookDelivery, {
      ...{ id, endpointId, agentId, eventId, type, position, subject, laneId: laneIdOf(endpointId, subject) },
      ...{
        state: WebhookDeliveryState.failed,
        attempts: 0,
        notBefore: null,
        lastStatus: null,
        lastError: null,
      },
      ...{ lastDurationMs: null, attemptLog: null, deliveredAt: null, createdAt: timestamp() },
    });
  });
  return id;
}

/** Adds events about lines to an agent, in one unit of work. */
export async function addEvents(
  gateway: Pick<TestGateway, "services">,
  agentId: string,
  subjects: readonly string[],
  type: "line.paused" | "line.resumed" = "line.paused",
): Promise<void> {
  await gateway.services.database.write(async (tx) =>
    recordEvents(
      tx,
      subjects.map((id, i) => ({ agentId, type, subject: `line:${id}` as const, data: { id, number: i } })),
    ),
  );
}
