import type { EntityManager } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { findIfAny } from "../../common/coalesce";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import { padded, placeholders } from "../../database/returning";
import { listPage } from "../../pagination/list-page";
import { readEvents } from "./delivery-events";
import { bodyOf } from "./event-post";
import { requireEndpoint } from "./find-endpoint";
import type { WebhookDeliveriesArgs } from "./webhook.inputs";
import { WebhookDelivery, WebhookDeliveryConnection, WebhookDeliveryState } from "./webhook-delivery.entity";

/** Lists deliveries to webhook endpoints. */
export class DeliveryLogService {
  /** Reads the body of a delivery's requests, without an access check; undefined if the event is no longer stored. */
  readonly bodyOf: (id: string) => Promise<string | undefined>;

  private readonly heads: (id: string) => Promise<string | undefined>;

  constructor(private readonly database: Database) {
    this.bodyOf = database.coalesceByKey("webhook bodies", async (ids) => {
      const events = await database.read((reader) => readEvents(reader, ids));
      return new Map([...events].map(([id, event]) => [id, bodyOf(event)]));
    });
    this.heads = database.coalesceByKey(
      "deliveries in front",
      async (ids) => new Map(await database.read((reader) => headsBefore(reader, ids))),
    );
  }

  /** Returns the ID of the event that a pending delivery waits for, or null. Does not check access. */
  waitsFor({ id, state }: WebhookDelivery): Promise<string | null> {
    return findIfAny(this.heads, state === WebhookDeliveryState.pending ? id : null);
  }

  /**
   * Returns one page of the deliveries to an endpoint, newest first.
   * @throws GatewayError `invalid_cursor`, `not_found`
   */
  list(
    context: RequestContext,
    { endpointId, state, type, eventId, ...args }: WebhookDeliveriesArgs,
  ): Promise<WebhookDeliveryConnection> {
    const matching = async (reader: EntityManager) => {
      await requireEndpoint(reader, organizationOf(context), endpointId);
      if (eventId != null && !isUuid(eventId)) return null;
      return reader.createQueryBuilder(WebhookDelivery, "delivery").where({
        endpointId,
        ...(state != null && { state }),
        ...(type != null && { type }),
        ...(eventId != null && { eventId }),
      });
    };
    const list = { matching, order: "DESC", mayReadMany: true } as const;
    return listPage(this.database, context, WebhookDeliveryConnection, args, list);
  }
}

/** Returns the event ID of the first pending delivery in each delivery's lane, unless they are the same delivery. */
async function headsBefore(
  reader: EntityManager,
  deliveryIds: readonly string[],
): Promise<[string, string][]> {
  const ids = padded(deliveryIds);
  const rows: { id: string; head: string }[] = await reader.query(
    `select delivery.id, head.event_id as "head" from webhook_delivery delivery
     join webhook_delivery head on head.id = (
       select first.id from webhook_delivery first
       where first.lane_id = delivery.lane_id and first.state = '${WebhookDeliveryState.pending}'
       order by first.position limit 1)
     where delivery.id in ${placeholders(1, ids.length)} and head.id <> delivery.id`,
    ids,
  );
  return rows.map(({ id, head }) => [id, head]);
}
