import { In, IsNull, MoreThan, Not } from "typeorm";
import type { RequestContext } from "../../auth/context";
import { timestamp } from "../../common/time";
import { inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import { deleteInChunks } from "../../database/delete-in-chunks";
import type { Tx } from "../../database/unit-of-work";
import { Agent } from "../agents/agent.entity";
import type { PurgeStep } from "../agents/agent-purge";
import { recordAudit } from "../audit/audit";
import { auditTarget, webhookActions } from "./webhook.audit";
import { WebhookCursor } from "./webhook-cursor.entity";
import { WebhookDelivery } from "./webhook-delivery.entity";
import { WebhookEndpoint } from "./webhook-endpoint.entity";

/** Deletes the endpoints that receive only one agent's events, in the transaction that deletes the agent. */
export async function deleteEndpointsOf(
  tx: Tx,
  context: RequestContext,
  { id: agentId }: Agent,
): Promise<void> {
  const order = { id: "ASC" } as const;
  for (const endpoint of await tx.find(WebhookEndpoint, { where: { agentId, deletedAt: IsNull() }, order })) {
    await tx.update(WebhookEndpoint, { id: endpoint.id }, { deletedAt: timestamp() });
    await recordAudit(tx, context, webhookActions.webhook_endpoint_deleted, auditTarget(endpoint));
  }
}

/** Deletes a deleted agent's deliveries and cursors, and endpoints that were added during the deletion. */
export const purgeDeliveries =
  (database: Database): PurgeStep =>
  async (agentId, options) => {
    const endpoints = await database.writeFor(options.owner, async (tx) => {
      const { organizationId } = await tx.findOneOrFail(Agent, { where: { id: agentId }, withDeleted: true });
      await tx.update(WebhookEndpoint, { agentId, deletedAt: IsNull() }, { deletedAt: timestamp() });
      await tx.delete(WebhookCursor, { agentId });
      return tx.find(WebhookEndpoint, { select: ["id"], where: { organizationId } });
    });
    for (const { id: endpointId } of endpoints) {
      const isDone = await inChunks<string>(
        database,
        async (tx, after, limit) => {
          const rows = await tx.find(WebhookDelivery, {
            select: ["id", "agentId"],
            where: { endpointId, ...(after !== undefined && { id: MoreThan(after) }) },
            order: { id: "ASC" },
            take: limit,
          });
          const ids = rows.filter((row) => row.agentId === agentId).map(({ id }) => id);
          if (ids.length > 0) await tx.delete(WebhookDelivery, { id: In(ids) });
          return rows.length < limit ? undefined : rows.at(-1)?.id;
        },
        options,
      );
      if (!isDone) return false;
    }
    return true;
  };

/** Deletes deleted endpoints' rows, in chunks, because there may be many deliveries. */
export async function deleteEndpoints(database: Database, signal?: AbortSignal): Promise<void> {
  const deleted = await database.read((reader) =>
    reader.find(WebhookEndpoint, { select: ["id", "organizationId"], where: { deletedAt: Not(IsNull()) } }),
  );
  for (const { id: endpointId, organizationId: owner } of deleted) {
    const isDone = await deleteInChunks(database, WebhookDelivery, { endpointId }, { owner, signal });
    if (!isDone) return;
    await database.writeFor(owner, async (tx) => {
      await tx.delete(WebhookCursor, { endpointId });
      await tx.delete(WebhookEndpoint, { id: endpointId });
    });
  }
}
