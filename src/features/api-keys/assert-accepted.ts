import { assertSignedIn } from "../../auth/assert-signed-in";
import type { RequestContext } from "../../auth/context";
import { type KeyEnds, keyRejection } from "../../auth/key-ends";
import type { Permission } from "../../auth/permissions";
import { type Timestamp, timestamp } from "../../common/time";
import { coalesceInTx, eachAccepted } from "../../database/coalesce-in-tx";
import { placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError } from "../../errors";

/**
 * Rechecks keys in the transaction that acts on their behalf, because a key may have been revoked since its request
 * arrived. Does not lock the keys, so the transaction must already hold its insert-order lock.
 * @throws GatewayError the rejection of the first key that is no longer accepted
 */
export async function assertKeysAccepted(tx: Tx, keyIds: readonly string[]): Promise<void> {
  for (const rejection of (await rejectionsOf(tx, keyIds)).values())
    if (rejection !== undefined) throw rejection;
}

/** @param lock the locking clause (`Tx.shareLock`) for the end of the statement */
async function rejectionsOf(
  tx: Tx,
  keyIds: readonly string[],
  lock = "",
): Promise<Map<string, GatewayError | undefined>> {
  const ids = [...new Set(keyIds)];
  const keys: (KeyEnds & { id: string; deactivatedAt: Timestamp | null })[] = await tx.query(
    `select key.id, key.revoked_at as "revokedAt", key.expires_at as "expiresAt",
       organization.deactivated_at as "deactivatedAt"
     from api_key as key
     join agent on agent.id = key.agent_id
     join organization on organization.id = agent.organization_id
     where key.id in ${placeholders(1, ids.length)} order by key.id ${lock}`,
    ids,
  );
  const found = new Map(keys.map((key) => [key.id, keyRejection(key, key.deactivatedAt)]));
  return new Map(ids.map((id) => [id, found.has(id) ? found.get(id) : new GatewayError("invalid_api_key")]));
}

/** Checks one key the way `assertKeysAccepted` does, and locks it. */
const assertKeyAccepted = coalesceInTx(async (tx: Tx, keyIds: readonly string[]) => {
  const rejections = await rejectionsOf(tx, keyIds, tx.shareLock("key", "organization"));
  return keyIds.map((id) => rejections.get(id));
});

/**
 * Returns an SQL condition that is true if all keys are still accepted, so that an insert needs only one statement. If
 * the condition prevents the insert, call `assertKeysAccepted` to throw the rejection.
 * @param first position of the condition's first parameter in the statement
 */
export function keysAreAccepted(
  keyIds: readonly string[],
  first: number,
): { condition: string; parameters: readonly string[] } {
  const ids = [...new Set(keyIds)];
  const condition = `${ids.length} = (
    select count(*)
    from api_key as key
    join agent on agent.id = key.agent_id
    join organization on organization.id = agent.organization_id
    where key.id in ${placeholders(1, ids.length, first)}
      and key.revoked_at is null
      and (key.expires_at is null or key.expires_at > $${first + ids.length})
      and organization.deactivated_at is null)`;
  return { condition, parameters: [...ids, timestamp()] };
}

/**
 * Rechecks the caller's authorization inside the transaction that makes the change. Until the commit, the caller's
 * key cannot be revoked, and the organization cannot be deactivated.
 * @param permission the permission that a member needs
 * @throws GatewayError the rejection of a key that is no longer accepted, or see `assertSignedIn`
 */
export async function assertStillAllowed(
  tx: Tx,
  context: RequestContext,
  permission: Permission,
): Promise<void> {
  const { caller } = context;
  if (caller.kind !== "agent") return assertSignedIn(tx, context, { permission });
  await assertKeyAccepted(tx, caller.key.id);
}

const nameOf = ({ caller }: RequestContext): string =>
  caller.kind === "agent" ? `key ${caller.key.id}` : caller.kind === "member" ? `#${caller.sessionId}` : "";

/**
 * Rechecks each caller of a batch once, the way `assertStillAllowed` does, in a fixed order, so that batches do
 * not deadlock. Members come first, because revoking a key locks the member before the key.
 * @returns a function that returns a caller's rejection
 */
export async function rejectionsOfCallers(
  tx: Tx,
  contexts: readonly RequestContext[],
  permission: Permission,
): Promise<(context: RequestContext) => GatewayError | undefined> {
  const callers = new Map(contexts.map((context) => [nameOf(context), context]));
  const rejections = new Map<string, GatewayError>();
  for (const [name, context] of [...callers].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [rejection] = await eachAccepted([context], (each) => assertStillAllowed(tx, each, permission));
    if (rejection instanceof GatewayError) rejections.set(name, rejection);
  }
  return (context) => rejections.get(nameOf(context));
}
