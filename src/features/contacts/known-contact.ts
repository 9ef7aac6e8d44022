import { groupBy } from "../../common/group-by";
import { coalesceInTx, coalesceKeysInTx } from "../../database/coalesce-in-tx";
import { lockRows } from "../../database/lock-rows";
import { placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import type { Address } from "./addresses";
import { Contact } from "./contact.entity";
import { ContactAddress } from "./contact-address.entity";

/** The key of a contact within an agent: one of these. */
export interface ContactKey {
  ref?: string | null | undefined;
  address?: Address | null | undefined;
}

/** The key of a contact, with its agent. */
export interface KeyedContact extends ContactKey {
  agentId: string;
}

/** The ID of the contact with a key, without a lock; undefined if there is none. */
export const contactIdOf = coalesceInTx(async (tx: Tx, keys: readonly KeyedContact[]) => {
  const rows: { n: string; byRef: string | null; byAddress: string | null }[] = await tx.query(
    `with wanted (n, agent_id, ref, kind, address) as (values ${placeholders(keys.length, 5)})
     select n,
       (select id from contact where agent_id = wanted.agent_id and ref = wanted.ref) as "byRef",
       (select contact_id from contact_address where agent_id = wanted.agent_id and kind = wanted.kind
          and address = wanted.address) as "byAddress"
     from wanted`,
    keys.flatMap(({ agentId, ref, address }, n) => [
      String(n),
      agentId,
      ref ?? null,
      address?.kind ?? null,
      address?.address ?? null,
    ]),
  );
  const found = new Map(rows.map(({ n, byRef, byAddress }) => [Number(n), byRef ?? byAddress ?? undefined]));
  return keys.map((_, n) => found.get(n));
});

/**
 * Locks contacts until the transaction ends, in the order of their IDs; see `delivery/README.md` for the order of locks.
 * @returns them as the last change left them, by ID
 */
export async function lockContacts(tx: Tx, ids: readonly string[]): Promise<Map<string, Contact>> {
  if (ids.length === 0) return new Map();
  const query = tx.createQueryBuilder(Contact, "contact");
  return lockRows(tx, query.where("contact.id IN (:...ids)", { ids: [...new Set(ids)] }));
}

/** True if the `ref` or address of a key belongs to a contact with these addresses. */
export const isMeant = (
  { ref, address }: ContactKey,
  contact: Contact,
  addresses: readonly ContactAddress[],
): boolean =>
  address == null
    ? contact.ref === ref
    : addresses.some((each) => each.kind === address.kind && each.address === address.address);

/** A contact with its addresses. */
export interface KnownContact {
  contact: Contact;
  addresses: readonly ContactAddress[];
}

/**
 * Finds the contacts with a `ref` or an address each, and locks their rows.
 * @returns the contact with each key; null if the agent has none
 */
export async function lockKnownContacts(
  tx: Tx,
  keys: readonly KeyedContact[],
): Promise<(KnownContact | null)[]> {
  const ids = await Promise.all(keys.map((key) => contactIdOf(tx, key)));
  const contacts = await lockContacts(
    tx,
    ids.flatMap((id) => id ?? []),
  );
  return Promise.all(
    keys.map(async (key, i) => {
      const contact = contacts.get(ids[i] ?? "");
      if (contact === undefined) return null;
      const addresses = (await addressesOf(tx, contact.id)) ?? [];
      // It may have been changed while the transaction waited for its lock.
      return isMeant(key, contact, addresses) ? { contact, addresses } : null;
    }),
  );
}

/** The addresses of a contact, in the order in which they were added; undefined without any. */
export const addressesOf = coalesceKeysInTx(async (tx: Tx, contactIds) =>
  groupBy(
    await tx
      .createQueryBuilder(ContactAddress, "address")
      .where("address.contact_id IN (:...contactIds)", { contactIds })
      .orderBy("address.id")
      .getMany(),
    ({ contactId }) => contactId,
  ),
);
