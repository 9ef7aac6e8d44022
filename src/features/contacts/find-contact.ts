import type { RequestContext } from "../../auth/context";
import { isUuid } from "../../common/uuid";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, noSuch } from "../../errors";
import { findOfCaller } from "../agents/agent-scope";
import { Contact } from "./contact.entity";

/**
 * Locks a contact until the transaction ends, to serialize changes to the contact.
 * @returns the current contact
 * @throws GatewayError `not_found`
 */
export async function lockContact(tx: Tx, context: RequestContext, id: string): Promise<Contact> {
  if (isUuid(id)) await tx.update(Contact, { id }, { version: () => "version" });
  const contact = await findOfCaller(tx, context, Contact, id);
  if (contact === null) throw noSuch("contact");
  return contact;
}

/** @throws GatewayError `conflict` */
export function assertNotErased({ erasedAt }: Contact): void {
  if (erasedAt !== null) throw new GatewayError("conflict", "The contact was erased.");
}
