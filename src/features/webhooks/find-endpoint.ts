import { type EntityManager, IsNull } from "typeorm";
import { isUuid } from "../../common/uuid";
import { noSuch } from "../../errors";
import { WebhookEndpoint } from "./webhook-endpoint.entity";

/** Finds one of an organization's webhook endpoints; null if it does not exist or was deleted. */
export async function findEndpoint(
  reader: EntityManager,
  organizationId: string,
  id: string,
): Promise<WebhookEndpoint | null> {
  if (!isUuid(id)) return null;
  return reader.findOneBy(WebhookEndpoint, { id, organizationId, deletedAt: IsNull() });
}

/** Finds one of an organization's webhook endpoints, or throws `not_found`. */
export async function requireEndpoint(
  reader: EntityManager,
  organizationId: string,
  id: string,
): Promise<WebhookEndpoint> {
  const endpoint = await findEndpoint(reader, organizationId, id);
  if (endpoint === null) throw noSuch("webhook endpoint");
  return endpoint;
}
