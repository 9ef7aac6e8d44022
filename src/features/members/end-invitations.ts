import type { RequestContext } from "../../auth/context";
import type { Tx } from "../../database/unit-of-work";
import { recordAudit } from "../audit/audit";
import { Invitation } from "./invitation.entity";
import { memberActions } from "./member.audit";

/** Ends an invitation, so that its link stops working. */
export async function endInvitation(
  tx: Tx,
  context: RequestContext,
  { id, email, organizationId, permissions }: Invitation,
): Promise<void> {
  await tx.delete(Invitation, { id });
  await recordAudit(
    tx,
    context,
    memberActions.invitation_withdrawn,
    { id, name: email, organizationId },
    { permissions: [permissions, null] },
  );
}

/**
 * Ends the invitations that a member has sent. Otherwise, a removed member could use them to rejoin the
 * organization.
 */
export async function endInvitationsOf(
  tx: Tx,
  context: RequestContext,
  { id }: { id: string },
): Promise<void> {
  for (const invitation of await tx.findBy(Invitation, { invitedById: id }))
    await endInvitation(tx, context, invitation);
}
