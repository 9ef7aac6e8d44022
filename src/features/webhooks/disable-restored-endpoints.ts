import { WebhookDeliveryState } from "./webhook-delivery.entity";
import { WebhookDisabledReason, WebhookEndpointState } from "./webhook-endpoint.entity";

/** Disables a restored database's endpoints and cancels its pending deliveries, which may have been sent. */
export const DISABLE_RESTORED_ENDPOINTS = [
  {
    table: "webhook_endpoint",
    statement: `UPDATE webhook_endpoint SET state = '${WebhookEndpointState.disabled}', disabled_reason = '${WebhookDisabledReason.restored}'
      WHERE state = '${WebhookEndpointState.active}'`,
  },
  {
    table: "webhook_delivery",
    statement: `UPDATE webhook_delivery SET state = '${WebhookDeliveryState.canceled}', not_before = NULL 
      WHERE state = '${WebhookDeliveryState.pending}'`,
  },
];
