import { In, IsNull, MoreThan, Not } from "typeorm";
import { inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import { WebhookCursor } from "./webhook-cursor.entity";
import { WebhookDelivery } from "./webhook-delivery.entity";
import { WebhookEndpoint } from "./webhook-endpoint.entity";

/** Deletes the rows of deleted endpoints, in chunks, because there may be many deliveries. */
export async function deleteEndpoints(database: Database, signal?: AbortSignal): Promise<void> {
  const deleted = await database.read((reader) =>
    reader.find(WebhookEndpoint, { select: ["id", "organizationId"], where: { deletedAt: Not(IsNull()) } }),
  );
  for (const { id: endpointId, organizationId: owner } of deleted) {
    const isDone = await inChunks<string>(
      database,
      async (tx, after = "", limit) => {
        const rows = await tx.find(WebhookDelivery, {
          select: ["id"],
          where: { endpointId, id: MoreThan(after) },
          order: { id: "ASC" },
          take: limit,
        });
        if (rows.length > 0) await tx.delete(WebhookDelivery, { id: In(rows.map(({ id }) => id)) });
        return rows.length < limit ? undefined : rows.at(-1)?.id;
      },
      { owner, signal },
    );
    if (!isDone) return;
    await database.writeFor(owner, async (tx) => {
      await tx.delete(WebhookCursor, { endpointId });
      await tx.delete(WebhookEndpoint, { id: endpointId });
    });
  }
}
