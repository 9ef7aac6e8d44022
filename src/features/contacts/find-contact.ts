import type { EntityManager } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { isUuid } from "../../common/uuid";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, noSuch } from "../../errors";
import { Contact } from "./contact.entity";

/** @returns the contact, or null if the caller's agent, or a member's organization, has none with this ID */
export async function findContact(
  reader: EntityManager,
  context: RequestContext,
  id: string,
): Promise<Contact | null> {
  if (!isUuid(id)) return null;
  const { caller } = context;
  if (caller.kind === "agent") return reader.findOneBy(Contact, { id, agentId: caller.agent.id });
  const agent = { organizationId: organizationOf(context) };
  return reader.findOneBy(Contact, { id, agent });
}

/**
 * Locks a contact until the transaction ends: its changes run one after the other.
 * @returns the contact as the last change left it
 * @throws GatewayError `not_found`
 */
export async function lockContact(tx: Tx, context: RequestContext, id: string): Promise<Contact> {
  if (isUuid(id)) await tx.update(Contact, { id }, { version: () => "version" });
  const contact = await findContact(tx, context, id);
  if (contact === null) throw noSuch("contact");
  return contact;
}

/** @throws GatewayError `conflict` */
export function assertNotErased({ erasedAt }: Contact): void {
  if (erasedAt !== null) throw new GatewayError("conflict", "The contact was erased.");
}
