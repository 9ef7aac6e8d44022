// This file is long because each change to an endpoint has its own conditions and audit entry.

import { IsNull, Not } from "typeorm";
import { v7 as uuid } from "uuid";
import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import type { Targets } from "../../delivery/targets";
import { GatewayError } from "../../errors";
import { once } from "../../idempotency/idempotency";
import type { InstanceKeyService } from "../../instance-key/instance-key.service";
import { secretRotation, signingSecretOf } from "../../instance-key/signing-secrets";
import { scopedAgentId } from "../agents/agent-scope";
import { actorOf, recordAudit } from "../audit/audit";
import type { AuditAction } from "../audit/audit-actions";
import type { Changes } from "../audit/audit-change";
import type { EventType } from "../events/event-types";
import { Organization } from "../organizations/organization.entity";
import { findEndpoint, requireEndpoint } from "./find-endpoint";
import { agentsOf, followFromNow, lockCursors } from "./follow";
import { auditOf, auditTarget, webhookActions } from "./webhook.audit";
import type {
  CreateWebhookEndpointInput,
  RotateWebhookSecretInput,
  UpdateWebhookEndpointInput,
  WebhookEndpointWithSecret,
} from "./webhook.inputs";
import { MAX_ENDPOINTS } from "./webhook.limits";
import { WebhookDelivery, WebhookDeliveryState } from "./webhook-delivery.entity";
import { WebhookDisabledReason, WebhookEndpoint, WebhookEndpointState } from "./webhook-endpoint.entity";

/** The permission that members need to change endpoints. */
const REQUIRED = { permission: Permission.config_manage };

/** Plans a change to an endpoint while its row is locked. */
type Decide = (
  tx: Tx,
  endpoint: WebhookEndpoint,
) => Promise<{ action: AuditAction; change: Partial<WebhookEndpoint>; audit: Changes }>;

/** Manages organizations' webhook endpoints. */
export class WebhookService {
  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly targets: Targets,
    private readonly instanceKey: InstanceKeyService,
    private readonly changed: () => void,
  ) {}

  /**
   * Returns the organization's endpoints, oldest first; if an agent is given, only endpoints that receive its events.
   * @throws GatewayError `not_found` (agent)
   */
  list(context: RequestContext, agent: string | null | undefined): Promise<WebhookEndpoint[]> {
    const all = { organizationId: organizationOf(context), deletedAt: IsNull() };
    return this.database.read(async (reader) => {
      const order = { id: "ASC" } as const;
      if (agent == null) return reader.find(WebhookEndpoint, { where: all, order });
      const agentId = await scopedAgentId(reader, context, agent);
      const where = [
        { ...all, agentId },
        { ...all, agentId: IsNull() },
      ];
      return reader.find(WebhookEndpoint, { where, order });
    });
  }

  /** Returns one of the organization's endpoints; null if it does not exist. */
  find(context: RequestContext, id: string): Promise<WebhookEndpoint | null> {
    return this.database.read((reader) => findEndpoint(reader, organizationOf(context), id));
  }

  /**
   * Creates an endpoint that receives all future events.
   * @returns the endpoint with its signing secret, which is omitted for a retry with the same idempotency key
   * @throws GatewayError `invalid_request`, `not_found` (agent), `conflict` (instance key), `limit_reached`,
   *   `idempotency_key_reused`
   */
  async create(
    context: RequestContext,
    { idempotencyKey, ...given }: CreateWebhookEndpointInput,
  ): Promise<WebhookEndpointWithSecret> {
    const organizationId = organizationOf(context);
    const input = { ...given, url: await this.allowed(given.url) };
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      const agentId =
        input.agentId == null ? null : await scopedAgentId(tx, context, input.agentId, "input.agentId");
      return once(tx, {
        scope: `createWebhookEndpoint:${actorOf(context.caller).actorId ?? organizationId}`,
        answer: context.answer,
        key: idempotencyKey,
        request: { ...input, agentId },
        create: () => this.insert(tx, context, { ...input, agentId }),
        repeat: async (id) => ({
          endpoint: await requireEndpoint(tx, organizationId, id),
          signingSecret: null,
        }),
        idOf: ({ endpoint }) => endpoint.id,
      });
    });
  }

  /**
   * Changes an endpoint's settings. If the URL changes, pending deliveries are sent to the new one
   * immediately. New types apply to events that have no deliveries yet.
   * @throws GatewayError `invalid_request`, `not_found`
   */
  async update(
    context: RequestContext,
    { id, ...given }: UpdateWebhookEndpointInput,
  ): Promise<WebhookEndpoint> {
    const url = given.url === undefined ? undefined : await this.allowed(given.url);
    const decide: Decide = async (tx, endpoint) => {
      const { description = endpoint.description } = given;
      const types = given.types === undefined ? endpoint.types : distinct(given.types);
      const change = { url: url ?? endpoint.url, description, types };
      if (change.url !== endpoint.url) await restartPending(tx, id);
      return {
        action: webhookActions.webhook_endpoint_updated,
        change,
        audit: auditOf(endpoint, change),
      };
    };
    return this.change(context, id, decide, { wakes: url !== undefined });
  }

  /**
   * Creates a new signing secret for an endpoint. For a day, events are also signed with the previous secret.
   * @returns the endpoint with the secret, which is omitted for a retry with the same idempotency key
   * @throws GatewayError `not_found`, `idempotency_key_reused`, `conflict` if the instance key is missing
   */
  rotateSecret(
    context: RequestContext,
    { id, idempotencyKey }: Pick<RotateWebhookSecretInput, "id"> & Partial<RotateWebhookSecretInput>,
  ): Promise<WebhookEndpointWithSecret> {
    const organizationId = organizationOf(context);
    const decide: Decide = async (_, endpoint) => {
      const isLost = endpoint.disabledReason === WebhookDisabledReason.secret_lost;
      const { change, audit } = secretRotation(endpoint);
      return {
        action: webhookActions.webhook_endpoint_secret_rotated,
        change: { ...change, ...(isLost && { disabledReason: WebhookDisabledReason.requested }) },
        audit,
      };
    };
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      return once<WebhookEndpointWithSecret>(tx, {
        scope: `rotateWebhookSecret:${actorOf(context.caller).actorId ?? organizationId}`,
        answer: context.answer,
        key: idempotencyKey,
        request: { id },
        create: async () => {
          const endpoint = await this.change(context, id, decide, { tx });
          return { endpoint, signingSecret: signingSecretOf(endpoint, await this.instanceKey.required(tx)) };
        },
        repeat: async () => ({
          endpoint: await requireEndpoint(tx, organizationId, id),
          signingSecret: null,
        }),
        idOf: ({ endpoint }) => endpoint.id,
      });
    });
  }

  /**
   * Re-enables an endpoint, so that its pending deliveries and all future events are sent.
   * @throws GatewayError `not_found`, or `conflict` if its signing secret was lost and has not been rotated since
   */
  enable(context: RequestContext, id: string): Promise<WebhookEndpoint> {
    const decide: Decide = async (tx, endpoint) => {
      if (endpoint.disabledReason === WebhookDisabledReason.secret_lost)
        throw new GatewayError("conflict", "The signing secret was lost. Rotate it first.");
      if (endpoint.state === WebhookEndpointState.disabled) {
        await followFromNow(tx, endpoint);
        await restartPending(tx, id);
      }
      return {
        action: webhookActions.webhook_endpoint_enabled,
        change: { state: WebhookEndpointState.active, disabledReason: null, failingSince: null },
        audit: stateAudit(endpoint, WebhookEndpointState.active, null),
      };
    };
    return this.change(context, id, decide, { wakes: true });
  }

  /**
   * Disables an endpoint until it is re-enabled.
   * @throws GatewayError `not_found`
   */
  disable(context: RequestContext, id: string): Promise<WebhookEndpoint> {
    return this.change(context, id, async (_, endpoint) => {
      const isActive = endpoint.state === WebhookEndpointState.active;
      const disabledReason = isActive ? WebhookDisabledReason.requested : endpoint.disabledReason;
      return {
        action: webhookActions.webhook_endpoint_disabled,
        change: { state: WebhookEndpointState.disabled, disabledReason },
        audit: stateAudit(endpoint, WebhookEndpointState.disabled, disabledReason),
      };
    });
  }

  /**
   * Deletes an endpoint and its deliveries; nothing is sent to it anymore.
   * @throws GatewayError `not_found`
   */
  delete(context: RequestContext, id: string): Promise<WebhookEndpoint> {
    return this.change(context, id, async () => ({
      action: webhookActions.webhook_endpoint_deleted,
      change: { deletedAt: timestamp() },
      audit: {},
    }));
  }

  /**
   * Updates an endpoint in the caller's organization and records any change. Runs in `tx` if given.
   * @param options.wakes true if deliveries waiting for the endpoint can resume
   * @throws GatewayError `not_found`
   */
  private change(
    context: RequestContext,
    id: string,
    decide: Decide,
    { wakes = false, tx }: { wakes?: boolean; tx?: Tx } = {},
  ): Promise<WebhookEndpoint> {
    const organizationId = organizationOf(context);
    const unit = async (tx: Tx) => {
      await assertSignedIn(tx, context, REQUIRED);
      const found = await requireEndpoint(tx, organizationId, id);
      if (wakes) {
        // Lock order: dispatchers lock a cursor before lanes, and deliverers lock lanes before endpoints.
        await lockCursors(tx, id);
        await this.lanes.wakeAgents(tx, await agentsOf(tx, found));
      }
      await tx.update(WebhookEndpoint, { id }, { updatedAt: () => "updated_at" });
      const endpoint = await requireEndpoint(tx, organizationId, id);
      const { action, change, audit } = await decide(tx, endpoint);
      const isChange = Object.entries(change).some(
        ([field, value]) =>
          JSON.stringify(endpoint[field as keyof WebhookEndpoint]) !== JSON.stringify(value),
      );
      if (!isChange) return endpoint;
      await tx.update(WebhookEndpoint, { id }, { ...(change as object), updatedAt: timestamp() });
      await recordAudit(tx, context, action, auditTarget(endpoint), audit);
      tx.afterCommit(this.changed);
      return tx.findOneByOrFail(WebhookEndpoint, { id });
    };
    return this.database.writeFor(ownerOf(context.caller), unit, { tx });
  }

  private async allowed(url: string): Promise<string> {
    return (await this.targets.assertAllowedUrl(url.trim(), "input.url")).href;
  }

  private async insert(
    tx: Tx,
    context: RequestContext,
    {
      agentId,
      url,
      ...input
    }: Omit<CreateWebhookEndpointInput, "idempotencyKey"> & { agentId: string | null },
  ): Promise<WebhookEndpointWithSecret> {
    const organizationId = organizationOf(context);
    // Locks the organization's row, so that two concurrent calls cannot both pass the limit check.
    await tx.update(Organization, { id: organizationId }, { createdAt: () => "created_at" });
    if ((await tx.countBy(WebhookEndpoint, { organizationId, deletedAt: IsNull() })) >= MAX_ENDPOINTS) {
      throw new GatewayError(
        "limit_reached",
        `An organization can have at most ${MAX_ENDPOINTS} webhook endpoints.`,
      );
    }
    const key = await this.instanceKey.required(tx);
    const now = timestamp();
    const endpoint = tx.create(WebhookEndpoint, {
      id: uuid(),
      organizationId,
      agentId,
      url,
      description: input.description ?? null,
      types: distinct(input.types),
      state: WebhookEndpointState.active,
      disabledReason: null,
      failingSince: null,
      secretGeneration: 1,
      previousUntil: null,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    });
    await tx.insert(WebhookEndpoint, endpoint as object);
    await followFromNow(tx, endpoint);
    tx.afterCommit(this.changed);
    await recordAudit(tx, context, webhookActions.webhook_endpoint_created, auditTarget(endpoint), {
      agentId: [null, agentId],
      ...auditOf(undefined, endpoint),
    });
    return { endpoint, signingSecret: signingSecretOf(endpoint, key) };
  }
}

/** Makes an endpoint's pending deliveries due immediately, as if none had failed. */
const restartPending = (tx: Tx, endpointId: string) =>
  tx.update(
    WebhookDelivery,
    { endpointId, state: WebhookDeliveryState.pending, notBefore: Not(IsNull()) },
    { notBefore: null, attempts: 0 },
  );

const distinct = (types: EventType[] | null | undefined): EventType[] | null =>
  types == null ? null : [...new Set(types)];

const stateAudit = (
  before: WebhookEndpoint,
  state: WebhookEndpointState,
  reason: WebhookDisabledReason | null,
): Changes => ({ state: [before.state, state], disabledReason: [before.disabledReason, reason] });
