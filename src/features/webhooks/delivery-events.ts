import type { EntityManager } from "typeorm";
import { padded, placeholders } from "../../database/returning";
import type { EventBody } from "./event-post";

/** Reads deliveries' events, by delivery ID; omits purged events. */
export async function readEvents(
  reader: EntityManager,
  deliveryIds: readonly string[],
): Promise<ReadonlyMap<string, EventBody>> {
  if (deliveryIds.length === 0) return new Map();
  const ids = padded(deliveryIds);
  const rows: (EventBody & { deliveryId: string; data: unknown })[] = await reader.query(
    `select delivery.id as "deliveryId", event.id, event.type, event.created_at as "timestamp",
       event.agent_id as "agentId", event.subject, event.position, event.data
     from webhook_delivery delivery
     join event on event.agent_id = delivery.agent_id and event.position = delivery.position
     where delivery.id in ${placeholders(1, ids.length)}`,
    ids,
  );
  return new Map(
    rows.map(({ deliveryId, data, position, ...event }) => [
      deliveryId,
      { ...event, position: String(position), data: JSON.parse(String(data)) },
    ]),
  );
}
