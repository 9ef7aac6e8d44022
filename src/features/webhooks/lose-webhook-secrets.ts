import { IsNull } from "typeorm";
import { operatorFor } from "../../auth/context";
import { timestamp } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import { recordAudit } from "../audit/audit";
import { Organization } from "../organizations/organization.entity";
import { auditTarget, webhookActions } from "./webhook.audit";
import { WebhookDisabledReason, WebhookEndpoint, WebhookEndpointState } from "./webhook-endpoint.entity";

/** Disables all endpoints, because their signing secrets depend on a lost instance key and must be rotated. */
export async function loseWebhookSecrets(tx: Tx): Promise<void> {
  const endpoints = await tx.find(WebhookEndpoint, { where: { deletedAt: IsNull() }, order: { id: "ASC" } });
  for (const endpoint of endpoints) {
    await tx.update(
      WebhookEndpoint,
      { id: endpoint.id },
      {
        secretGeneration: endpoint.secretGeneration + 1,
        previousUntil: null,
        state: WebhookEndpointState.disabled,
        disabledReason: WebhookDisabledReason.secret_lost,
        updatedAt: timestamp(),
      },
    );
    const organization = await tx.findOneByOrFail(Organization, { id: endpoint.organizationId });
    await recordAudit(
      tx,
      operatorFor(organization),
      webhookActions.webhook_endpoint_secret_lost,
      auditTarget(endpoint),
      { state: [endpoint.state, WebhookEndpointState.disabled] },
    );
  }
}
