import type { Tx } from "../../database/unit-of-work";
import { Contact } from "./contact.entity";
import type { NewAddress } from "./contact.inputs";
import { normalized } from "./contact-addresses";

/** What identifies a contact of an agent. */
export interface ContactKey {
  ref?: string | null | undefined;
  address?: NewAddress | null | undefined;
}

/**
 * Finds the contact with a `ref` or an address, and locks its row.
 * @returns null if the agent has none; it may have been erased while the transaction waited for its lock
 */
export function lockKnownContact(
  tx: Tx,
  agentId: string,
  { ref, address }: ContactKey,
): Promise<Contact | null> {
  const query = tx.createQueryBuilder(Contact, "contact").where("contact.agent_id = :agentId", { agentId });
  if (ref != null) query.andWhere("contact.ref = :ref", { ref });
  for (const { kind, address: text } of address == null ? [] : normalized([address])) {
    query.andWhere(
      `contact.id = (SELECT contact_id FROM contact_address
         WHERE agent_id = :agentId AND kind = :kind AND address = :text)`,
      { kind, text },
    );
  }
  return tx.lock(query).getOne();
}
