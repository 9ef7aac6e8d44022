import type { EntityManager } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import { listPage } from "../../pagination/list-page";
import { requireEndpoint } from "./find-endpoint";
import type { WebhookDeliveriesArgs } from "./webhook.inputs";
import { WebhookDelivery, WebhookDeliveryConnection } from "./webhook-delivery.entity";

/** Lists deliveries to webhook endpoints. */
export class DeliveryLogService {
  constructor(private readonly database: Database) {}

  /**
   * One page of the deliveries to an endpoint, newest first.
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
