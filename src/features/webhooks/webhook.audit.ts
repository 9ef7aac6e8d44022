import type { AuditTarget } from "../audit/audit";
import { auditActions } from "../audit/audit-actions";
import type { Changes } from "../audit/audit-change";
import type { WebhookEndpoint } from "./webhook-endpoint.entity";

export const webhookActions = auditActions({
  webhook_endpoint_created: "A webhook endpoint was created.",
  webhook_endpoint_updated: "A webhook endpoint's settings were changed.",
  webhook_endpoint_deleted: "A webhook endpoint was deleted.",
  webhook_endpoint_enabled: "A webhook endpoint was enabled.",
  webhook_endpoint_disabled: "A webhook endpoint was disabled.",
  webhook_endpoint_secret_rotated: "A webhook endpoint's signing secret was rotated.",
  webhook_endpoint_secret_lost:
    "A webhook endpoint lost its signing secret because the instance key was replaced.",
  webhook_endpoint_tested: "A test event was sent to a webhook endpoint.",
  webhook_redelivery_requested: "Redelivery of events to a webhook endpoint was requested.",
});

/** Length of the name column. */
const NAME_MAX_LENGTH = 254;

/** Returns the audit log entry's target for an endpoint. */
export const auditTarget = ({
  id,
  url,
  organizationId,
}: Pick<WebhookEndpoint, "id" | "url" | "organizationId">): AuditTarget => ({
  id,
  name: url.slice(0, NAME_MAX_LENGTH),
  organizationId,
});

type Settings = Pick<WebhookEndpoint, "url" | "description" | "types">;

/** Returns the changes to an endpoint's settings for the audit log; `before` is undefined for a new endpoint. */
export const auditOf = (before: Settings | undefined, after: Settings): Changes => ({
  url: [before?.url ?? null, after.url],
  description: [before?.description ?? null, after.description],
  types: [before?.types?.join(", ") ?? null, after.types?.join(", ") ?? null],
});
