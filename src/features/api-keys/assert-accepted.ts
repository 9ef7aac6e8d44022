import type { EntityManager } from "typeorm";
import type { Timestamp } from "../../common/time";
import { placeholders } from "../../database/returning";
import { GatewayError } from "../../errors";
import { type KeyEnds, refusalOf } from "./api-key.entity";

/**
 * Checks keys again in the transaction that acts for them, because a key may have been revoked since its request arrived.
 * The transaction must already hold its insert-order lock.
 * @throws GatewayError the refusal of the first key that is no longer accepted
 */
export async function assertKeysAccepted(tx: EntityManager, keyIds: readonly string[]): Promise<void> {
  const ids = [...new Set(keyIds)];
  const keys: (KeyEnds & { deactivatedAt: Timestamp | null })[] = await tx.query(
    `select key.revoked_at as "revokedAt", key.expires_at as "expiresAt",
       organization.deactivated_at as "deactivatedAt"
     from api_key as key
     join agent on agent.id = key.agent_id
     join organization on organization.id = agent.organization_id
     where key.id in ${placeholders(1, ids.length)}`,
    ids,
  );
  if (keys.length < ids.length) throw new GatewayError("invalid_api_key");
  for (const key of keys) {
    const refusal = refusalOf(key, key.deactivatedAt);
    if (refusal !== undefined) throw refusal;
  }
}
