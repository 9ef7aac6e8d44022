import { organizationOf, type RequestContext } from "../../auth/context";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import { paginate } from "../../pagination/connection";
import { ownEndpoint } from "./own-endpoint";
import type { WebhookDeliveriesArgs } from "./webhook.inputs";
import { WebhookDelivery, WebhookDeliveryConnection } from "./webhook-delivery.entity";

/** The deliveries to webhook endpoints. */
export class DeliveryLogService {
  constructor(private readonly database: Database) {}

  /**
   * One page of the deliveries to an endpoint, newest first.
   * @throws GatewayError `invalid_cursor`, `not_found`
   */
  async list(
    context: RequestContext,
    { endpointId, state, type, eventId, ...rest }: WebhookDeliveriesArgs,
  ): Promise<WebhookDeliveryConnection> {
    const page = WebhookDeliveryConnection.pageOf(rest);
    const organizationId = organizationOf(context);
    const rows = await this.database.report(organizationId, async (reader) => {
      await ownEndpoint(reader, organizationId, endpointId);
      // Nothing matches, and PostgreSQL rejects a NUL.
      if ((eventId != null && !isUuid(eventId)) || type?.includes("\0")) return [];
      const query = reader.createQueryBuilder(WebhookDelivery, "delivery").where({
        endpointId,
        ...(state != null && { state }),
        ...(type != null && { type }),
        ...(eventId != null && { eventId }),
      });
      return paginate(query, page, "DESC").getMany();
    });
    return new WebhookDeliveryConnection(rows, page);
  }
}
