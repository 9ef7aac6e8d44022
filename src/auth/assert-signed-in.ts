import { type Timestamp, timestamp } from "../common/time";
import type { Tx } from "../database/unit-of-work";
import { GatewayError } from "../errors";
import type { RequestContext } from "./context";
import type { Permission } from "./permissions";

/**
 * Rechecks a member's session and permission inside the transaction that performs the member's action, because both may
 * have changed since the request arrived. Later changes wait until the transaction ends. Other callers always pass.
 * @param options.permission the required permission; if omitted, any signed-in member passes
 * @param options.whileDeactivated true if the action is allowed while the organization is deactivated
 * @throws GatewayError `invalid_session`, `forbidden` or `organization_deactivated`
 */
export async function assertSignedIn(
  tx: Tx,
  { caller }: RequestContext,
  { permission, whileDeactivated = false }: { permission?: Permission; whileDeactivated?: boolean } = {},
): Promise<void> {
  if (caller.kind !== "member") return;
  // Locks the row, because password resets and permission changes also write it.
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
