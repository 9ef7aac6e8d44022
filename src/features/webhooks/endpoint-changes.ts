import { assertSignedIn } from "../../auth/assert-signed-in";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { recordAudit } from "../audit/audit";
import type { AuditAction } from "../audit/audit-actions";
import type { Changes } from "../audit/audit-change";
import { requireEndpoint } from "./find-endpoint";
import { agentsOf, lockCursors } from "./follow";
import { auditTarget } from "./webhook.audit";
import { WebhookEndpoint } from "./webhook-endpoint.entity";

/** The permission that members need to change endpoints. */
export const REQUIRED = { permission: Permission.config_manage };

/** Plans a change to an endpoint while its row is locked. */
export type Decide = (
  tx: Tx,
  endpoint: WebhookEndpoint,
) => Promise<{ action: AuditAction; change: Partial<WebhookEndpoint>; audit: Changes }>;

/** Changes endpoints; changes to one endpoint are serialized. */
export class EndpointChanges {
  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly changed: () => void,
  ) {}

  /**
   * Updates an endpoint in the caller's organization and records it, unless nothing changes; joins `tx` if given.
   * @param options.wakes true if deliveries waiting for the endpoint may resume
   * @throws GatewayError `not_found`
   */
  change(
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
}
