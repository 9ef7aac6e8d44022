import type { EntityManager } from "typeorm";
import { type Timestamp, timestamp } from "../common/time";
import { GatewayError } from "../errors";
import type { RequestContext } from "./context";
import type { Permission } from "./permissions";

/**
 * Checks a member again at the start of the unit of work that acts for it: its session may have ended, or its
 * permission been revoked, since the request arrived. Changes of these wait for the unit. Other callers pass.
 * @param options.permission what the unit needs; left out where being signed in is enough
 * @param options.whileDeactivated whether a deactivated organization allows it too
 * @throws GatewayError `invalid_session`, `forbidden` or `organization_deactivated`
 */
export async function assertSignedIn(
  tx: EntityManager,
  { caller }: RequestContext,
  { permission, whileDeactivated = false }: { permission?: Permission; whileDeactivated?: boolean } = {},
): Promise<void> {
  if (caller.kind !== "member") return;
  // Locks the row, which resets of the password and changes of permissions write too.
  await tx.query("update member set created_at = created_at where id = $1", [caller.id]);
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
    throw new GatewayError("forbidden", `The permission ${permission} was revoked in the meantime.`);
  }
  if (!whileDeactivated && session.deactivatedAt !== null) {
    throw new GatewayError("organization_deactivated");
  }
}
