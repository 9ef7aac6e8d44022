import { counter } from "../../telemetry/feature-metrics";
import { WebhookDisabledReason } from "./webhook-endpoint.entity";

export enum WebhookOutcome {
  delivered = "delivered",
  retried = "retried",
  failed = "failed",
}

export const WEBHOOK_ATTEMPTS = counter(
  "gateway_webhook_attempts_total",
  "Attempts to deliver an event to a webhook endpoint, by outcome.",
  { outcome: Object.values(WebhookOutcome) },
);

/** The reasons for disabling endpoints automatically. */
export const FAILURE_REASONS = [WebhookDisabledReason.gone, WebhookDisabledReason.failing] as const;

export const WEBHOOKS_DISABLED = counter(
  "gateway_webhook_endpoints_disabled_total",
  "Webhook endpoints disabled because deliveries failed.",
  { reason: FAILURE_REASONS },
);
