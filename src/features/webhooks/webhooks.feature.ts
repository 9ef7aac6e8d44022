import { shareOf } from "../../database/semaphore";
import { feature, olderThan } from "../../schema/feature";
import { deleteEndpoints, deleteEndpointsOf, purgeDeliveries } from "./delete-endpoints";
import { DeliveryLogService } from "./delivery-log.service";
import { EndpointHealth } from "./endpoint-health";
import { eraseDeliveries } from "./erase-deliveries";
import { EventPost } from "./event-post";
import { loseWebhookSecrets } from "./lose-webhook-secrets";
import { RedeliveryService } from "./redelivery.service";
import { WEBHOOK_ATTEMPTS, WEBHOOKS_DISABLED } from "./webhook.metrics";
import { WebhookDeliveryResolver, WebhookResolver } from "./webhook.resolver";
import { WebhookService } from "./webhook.service";
import { WebhookCursor } from "./webhook-cursor.entity";
import { WebhookDelivery } from "./webhook-delivery.entity";
import { WebhookDispatcher } from "./webhook-dispatcher";
import { WebhookEndpoint } from "./webhook-endpoint.entity";
import { WEBHOOK_LANE } from "./webhook-lane";
import { WebhookTestService } from "./webhook-test.service";
import { WebhookWork } from "./webhook-work";

/** Webhooks: agents' events are posted to other systems' URLs. */
export const webhooks = feature({
  entities: [WebhookEndpoint, WebhookCursor, WebhookDelivery],
  services: ({ database, config, lanes, targets, instanceKey, log }) => {
    const post = new EventPost(targets, instanceKey);
    const webhookDispatcher = new WebhookDispatcher(database, lanes, log);
    return {
      webhooks: new WebhookService(database, lanes, targets, instanceKey, webhookDispatcher.wake),
      webhookLog: new DeliveryLogService(database),
      redeliveries: new RedeliveryService(database, lanes, config),
      webhookTests: new WebhookTestService(database, post),
      webhookDispatcher,
      webhookWork: new WebhookWork(post, new EndpointHealth(log)),
    };
  },
  hooks: ({ database }) => ({
    agentDeleted: deleteEndpointsOf,
    agentPurged: purgeDeliveries(database),
    contactErased: eraseDeliveries(database),
    instanceKeyReplaced: loseWebhookSecrets,
  }),
  chores: ({ database }) => [(signal) => deleteEndpoints(database, signal)],
  shares: (senders) => {
    // Webhooks get half of all senders, so that some remain for messages.
    const share = Math.max(1, Math.floor(senders / 2));
    return {
      [WEBHOOK_LANE]: { by: "kind", together: share, owner: shareOf(share), channel: Math.ceil(share / 2) },
    };
  },
  start: ({ webhookDispatcher }) => webhookDispatcher.start(),
  resolvers: ({ webhooks, webhookLog, redeliveries, webhookTests }) => [
    new WebhookResolver(webhooks, webhookLog, redeliveries, webhookTests),
    new WebhookDeliveryResolver(webhookLog),
  ],
  metrics: () => [WEBHOOK_ATTEMPTS, WEBHOOKS_DISABLED],
  lanes: ({ webhookWork }) => ({ [WEBHOOK_LANE]: webhookWork }),
  retention: { RETENTION_DELIVERIES_DAYS: 30 },
  expired: ({ RETENTION_DELIVERIES_DAYS: days }) => olderThan(days, WebhookDelivery, "created_at"),
});
