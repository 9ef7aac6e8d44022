import { type EntityManager, IsNull } from "typeorm";
import { isUuid } from "../../common/uuid";
import { noSuch } from "../../errors";
import { WebhookEndpoint } from "./webhook-endpoint.entity";

/** Finds a webhook endpoint of an organization; null if it does not exist or was deleted. */
export async function findEndpoint(
  reader: EntityManager,
  organizationId: string,
  id: string,
): Promise<WebhookEndpoint | null> {
  if (!isUuid(id)) return null;
  return reader.findOneBy(WebhookEndpoint, { id, organizationId, deletedAt: IsNull() });
}

/**
 * Finds a webhook endpoint of an organization.
 * @throws GatewayError `not_found`
 */
export async function requireEndpoint(
  reader: EntityManager,
  organizationId: string,
  id: string,
): Promise<WebhookEndpoint> {
  const endpoint = await findEndpoint(reader, organizationId, id);
  if (endpoint === null) throw noSuch("webhook endpoint");
  return endpoint;
}
