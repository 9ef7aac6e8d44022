import type { RequestContext } from "../../auth/context";
import type { Tx } from "../../database/unit-of-work";
import { Invitation } from "./invitation.entity";
import { memberActions, recordOn } from "./member.audit";

/** Ends an invitation, so that its link stops working. */
export async function endInvitation(tx: Tx, context: RequestContext, invitation: Invitation): Promise<void> {
  await tx.delete(Invitation, { id: invitation.id });
  const changes = { permissions: [invitation.permissions, null] } as const;
  await recordOn(tx, context, memberActions.invitation_withdrawn, invitation, changes);
}

/** Ends the invitations that a member has sent; a removed member could use them to rejoin the organization. */
export async function endInvitationsOf(
  tx: Tx,
  context: RequestContext,
  { id }: { id: string },
): Promise<void> {
  for (const invitation of await tx.findBy(Invitation, { invitedById: id }))
    await endInvitation(tx, context, invitation);
}
