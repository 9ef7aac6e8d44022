import type { Logger } from "pino";
import { systemFor } from "../../auth/context";
import { groupBy } from "../../common/group-by";
import { DAY_MS, timestamp } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import { AttemptOutcome } from "../../delivery/driver";
import type { FinishedSend } from "../../delivery/lane-work";
import type { WorkObserver } from "../../delivery/observer";
import { recordAudit } from "../audit/audit";
import { Organization } from "../organizations/organization.entity";
import { GONE } from "./event-post";
import { auditTarget, webhookActions } from "./webhook.audit";
import { MAX_FAILING_DAYS, MIN_FAILED_ATTEMPTS } from "./webhook.limits";
import { type FAILURE_REASONS, WEBHOOKS_DISABLED } from "./webhook.metrics";
import { WebhookDisabledReason, WebhookEndpoint, WebhookEndpointState } from "./webhook-endpoint.entity";

/**
 * Tracks how long endpoints have been failing, and disables endpoints that have failed for too long or responded with
 * 410.
 */
export class EndpointHealth {
  constructor(private readonly log: Logger) {}

  /** Records attempts, in the transaction that stores them; the fixed order of `endpoints` prevents deadlocks. */
  async note(
    tx: Tx,
    endpoints: readonly WebhookEndpoint[],
    attempts: readonly FinishedSend[],
    observer: WorkObserver,
  ): Promise<void> {
    const byEndpoint = groupBy(attempts, ({ channelId }) => channelId);
    for (const endpoint of endpoints) {
      const made = byEndpoint.get(endpoint.id);
      if (made === undefined) continue;
      const reason = reasonToDisable(endpoint, made);
      if (reason !== undefined) await this.disable(tx, endpoint, reason, observer);
      else if (made.some(isAccepted)) {
        if (endpoint.failingSince !== null)
          await tx.update(WebhookEndpoint, endpoint.id, { failingSince: null });
      } else if (endpoint.failingSince === null) {
        await tx.update(WebhookEndpoint, endpoint.id, { failingSince: timestamp() });
      }
    }
  }

  private async disable(
    tx: Tx,
    endpoint: WebhookEndpoint,
    reason: (typeof FAILURE_REASONS)[number],
    observer: WorkObserver,
  ): Promise<void> {
    const { id, organizationId, failingSince } = endpoint;
    const now = timestamp();
    const disabled = { state: WebhookEndpointState.disabled, disabledReason: reason };
    const { affected } = await tx.update(
      WebhookEndpoint,
      { id, state: WebhookEndpointState.active },
      { ...disabled, failingSince: failingSince ?? now, updatedAt: now },
    );
    if (affected === 0) return;
    const organization = await tx.findOneByOrFail(Organization, { id: organizationId });
    await recordAudit(
      tx,
      systemFor(organization),
      webhookActions.webhook_endpoint_disabled,
      auditTarget(endpoint),
      { state: [WebhookEndpointState.active, disabled.state], disabledReason: [null, reason] },
    );
    observer.count(WEBHOOKS_DISABLED, [reason]);
    const why =
      reason === WebhookDisabledReason.gone ? "it responded with 410" : "every attempt has failed for days";
    tx.afterCommit(() =>
      this.log.warn({ webhookEndpoint: id, failingSince }, `a webhook endpoint was disabled because ${why}`),
    );
  }
}

const isAccepted = ({ result }: FinishedSend): boolean => result.outcome === AttemptOutcome.accepted;

function reasonToDisable(
  { state, failingSince }: WebhookEndpoint,
  attempts: readonly FinishedSend[],
): (typeof FAILURE_REASONS)[number] | undefined {
  if (state !== WebhookEndpointState.active) return undefined;
  if (attempts.some(({ result }) => result.status === GONE)) return WebhookDisabledReason.gone;
  if (attempts.some(isAccepted) || failingSince === null) return undefined;
  const isOver =
    failingSince <= timestamp(-MAX_FAILING_DAYS * DAY_MS) &&
    attempts.some(({ attempt }) => attempt >= MIN_FAILED_ATTEMPTS);
  return isOver ? WebhookDisabledReason.failing : undefined;
}
