import { type Timestamp, timestamp } from "../common/time";
import type { Tx } from "../database/unit-of-work";
import { GatewayError } from "../errors";
import type { OrganizationKeyCaller } from "./caller";
import type { RequestContext } from "./context";
import { type KeyEnds, keyRejection } from "./key-ends";
import type { Permission } from "./permissions";

/**
 * Rechecks a member's session and permission, or an organization key, inside the transaction that performs the caller's
 * action, because they may have changed since the request arrived. Later changes wait until the transaction ends. Other
 * callers always pass.
 * @param options.permission the required permission; if omitted, any signed-in member passes
 * @param options.whileDeactivated true if the action is allowed while the organization is deactivated
 * @throws GatewayError `invalid_session`, `forbidden`, `organization_deactivated`, or the error for a rejected key
 */
export async function assertSignedIn(
  tx: Tx,
  { caller }: RequestContext,
  { permission, whileDeactivated = false }: { permission?: Permission; whileDeactivated?: boolean } = {},
): Promise<void> {
  if (caller.kind === "organizationKey") return assertKeyAccepted(tx, caller);
  if (caller.kind !== "member") return;
  // Locks the member's row, because password resets and permission changes also write to it.
  if (!tx.isDryRun) await tx.query("update member set created_at = created_at where id = $1", [caller.id]);
  const [session]: { permissions: string; deactivatedAt: Timestamp | null }[] = await tx.query(
    `select member.permissions, organization.deactivated_at as "deactivatedAt"
     from session
     join member on member.id = session.member_id
     join organization on organization.id = member.organization_id
     where session.id = $1 and session.expires_at > $2`,
    [caller.sessionId, timestamp()],
  );
  if (session === undefined) throw new GatewayError("invalid_session");
  if (permission !== undefined && !session.permissions.split(",").includes(permission)) {
    throw new GatewayError("forbidden", `The permission ${permission} was revoked during the request.`);
  }
  if (!whileDeactivated && session.deactivatedAt !== null) {
    throw new GatewayError("organization_deactivated");
  }
}

async function assertKeyAccepted(tx: Tx, { key: { id } }: OrganizationKeyCaller): Promise<void> {
  // Takes an exclusive lock on the caller's key, because the action may change this key.
  if (!tx.isDryRun) await tx.query("update api_key set created_at = created_at where id = $1", [id]);
  const [key]: (KeyEnds & { deactivatedAt: Timestamp | null })[] = await tx.query(
    `select key.revoked_at as "revokedAt", key.expires_at as "expiresAt",
       organization.deactivated_at as "deactivatedAt"
     from api_key as key join organization on organization.id = key.organization_id
     where key.id = $1`,
    [id],
  );
  const rejection =
    key === undefined ? new GatewayError("invalid_api_key") : keyRejection(key, key.deactivatedAt);
  if (rejection !== undefined) throw rejection;
}
