import { type EntityManager, MoreThan } from "typeorm";
import type { RequestContext } from "../../auth/context";
import { timestamp } from "../../common/time";
import { GatewayError } from "../../errors";
import { Session } from "./session.entity";

/**
 * Judges a member once more, first of all inside the unit of work that acts for it: its session may have ended, or its
 * rights been taken, since the request arrived. Whoever changes these waits for the unit. Other callers pass.
 * @param options.whileDeactivated whether a deactivated organization allows it too
 * @throws GatewayError `invalid_session`, `forbidden` or `organization_deactivated`
 */
export async function assertSignedIn(
  tx: EntityManager,
  { caller }: RequestContext,
  { whileDeactivated = false } = {},
): Promise<void> {
  if (caller.kind !== "member") return;
  // Locks the row, which resets of the password and changes of permissions write too.
  await tx.query("update member set created_at = created_at where id = $1", [caller.id]);
  const session = await tx.findOne(Session, {
    where: { id: caller.sessionId, expiresAt: MoreThan(timestamp()) },
    relations: { member: { organization: true } },
  });
  if (session?.member === undefined) throw new GatewayError("invalid_session");
  const { permissions, organization } = session.member;
  if (!caller.permissions.every((permission) => permissions.includes(permission))) {
    throw new GatewayError("forbidden", "A permission was taken from the member meanwhile.");
  }
  if (!whileDeactivated && organization.deactivatedAt !== null) {
    throw new GatewayError("organization_deactivated");
  }
}
