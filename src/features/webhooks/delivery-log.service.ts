import type { EntityManager } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { isUuid } from "../../common/uuid";
import type { Database } from "../../database/database";
import { pageOfRows } from "../../pagination/connection";
import { countRows } from "../../pagination/total-count";
import { requireEndpoint } from "./find-endpoint";
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
    const matching = async (reader: EntityManager) => {
      await requireEndpoint(reader, organizationId, endpointId);
      if (eventId != null && !isUuid(eventId)) return null;
      return reader.createQueryBuilder(WebhookDelivery, "delivery").where({
        endpointId,
        ...(state != null && { state }),
        ...(type != null && { type }),
        ...(eventId != null && { eventId }),
      });
    };
    const rows = await this.database.report(organizationId, async (reader) =>
      pageOfRows(await matching(reader), page, "DESC"),
    );
    return new WebhookDeliveryConnection(rows, page, () =>
      this.database.report(organizationId, async (reader) => countRows(reader, await matching(reader))),
    );
  }
}
