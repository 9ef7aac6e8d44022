import { IsNull, Not } from "typeorm";
import type { Database } from "../../database/database";
import { deleteInChunks } from "../../database/delete-in-chunks";
import { WebhookCursor } from "./webhook-cursor.entity";
import { WebhookDelivery } from "./webhook-delivery.entity";
import { WebhookEndpoint } from "./webhook-endpoint.entity";

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
