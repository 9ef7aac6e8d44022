import { groupBy } from "../../common/group-by";
import { coalesceInTx, coalesceKeysInTx } from "../../database/coalesce-in-tx";
import { lockRows } from "../../database/lock-rows";
import { padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import type { Address } from "./addresses";
import { Contact } from "./contact.entity";
import { ContactAddress } from "./contact-address.entity";

/** Identifies one of an agent's contacts; exactly one of these members is set. */
export interface ContactKey {
  ref?: string | null | undefined;
  address?: Address | null | undefined;
}

/** Finds the ID of the contact with a key, without locking it; undefined if there is none. */
export const contactIdOf = coalesceInTx(
  async (tx: Tx, keys: readonly (ContactKey & { agentId: string })[]) => {
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
    const found = new Map(
      rows.map(({ n, byRef, byAddress }) => [Number(n), byRef ?? byAddress ?? undefined]),
    );
    return keys.map((_, n) => found.get(n));
  },
);

/**
 * Locks contacts in ID order until the transaction ends; see `delivery/README.md` for the lock order.
 * @param options.skipLocked true to skip contacts locked by another transaction
 * @returns the current contacts, by ID
 */
export async function lockContacts(
  tx: Tx,
  ids: readonly string[],
  options?: { skipLocked: boolean },
): Promise<Map<string, Contact>> {
  if (ids.length === 0) return new Map();
  const query = tx.createQueryBuilder(Contact, "contact");
  return lockRows(tx, query.where("contact.id IN (:...ids)", { ids: [...new Set(ids)] }), options);
}

/** True if a key identifies a contact with the given addresses. */
export const isMeant = (
  { ref, address }: ContactKey,
  contact: Contact,
  addresses: readonly ContactAddress[],
): boolean =>
  address == null
    ? contact.ref === ref
    : addresses.some((each) => each.kind === address.kind && each.address === address.address);

export interface KnownContact {
  contact: Contact;
  addresses: readonly ContactAddress[];
}

/**
 * Finds and locks the contacts with the given addresses.
 * @returns the contact for each address; null if the agent has none
 */
export async function lockContactsAt(
  tx: Tx,
  keys: readonly { agentId: string; address: Address }[],
): Promise<(KnownContact | null)[]> {
  const query = tx.createQueryBuilder(Contact, "contact").where(
    `contact.id IN (SELECT at.contact_id FROM (
       WITH wanted (agent_id, kind, address) AS (VALUES ${keys.map((_, i) => `(:agent${i}, :kind${i}, :address${i})`).join(", ")})
       SELECT known.contact_id FROM wanted JOIN contact_address known ON known.agent_id = wanted.agent_id
         AND known.kind = wanted.kind AND known.address = wanted.address) at)`,
    Object.fromEntries(
      keys.flatMap(({ agentId, address: { kind, address } }, i) => [
        [`agent${i}`, agentId],
        [`kind${i}`, kind],
        [`address${i}`, address],
      ]),
    ),
  );
  const contacts = await Promise.all(
    [...(await lockRows(tx, query)).values()].map(async (contact) => ({
      contact,
      addresses: (await addressesOf(tx, contact.id)) ?? [],
    })),
  );
  // The address may have been removed from a contact while this transaction waited for the contact's lock.
  return keys.map(
    ({ agentId, address }) =>
      contacts.find(
        ({ contact, addresses }) => contact.agentId === agentId && isMeant({ address }, contact, addresses),
      ) ?? null,
  );
}

/**
 * Locks the contacts of situations or timers in ID order; agents of situations without one are locked first,
 * because timers and `once` counts are then stored per agent.
 * @returns the current contacts, by ID
 */
export async function lockSubjects(
  tx: Tx,
  subjects: readonly { agentId: string; contactId: string | null }[],
): Promise<Map<string, Contact>> {
  const nameless = subjects.filter(({ contactId }) => contactId === null);
  await lockAgentsFor(tx, "situations", {
    agentIds: nameless.map(({ agentId }) => agentId),
    mode: "exclusive",
  });
  return lockContacts(
    tx,
    subjects.flatMap(({ contactId }) => contactId ?? []),
  );
}

/**
 * Locks the set of the agents' contacts' addresses: `shared` to add addresses, and `exclusive` to store
 * consents for addresses that no contact has.
 */
export const lockAdditions = (
  tx: Tx,
  agentIds: readonly string[],
  mode: "shared" | "exclusive",
): Promise<void> => lockAgentsFor(tx, "addresses", { agentIds, mode });

async function lockAgentsFor(
  tx: Tx,
  what: "addresses" | "situations",
  { agentIds, mode }: { agentIds: readonly string[]; mode: "shared" | "exclusive" },
): Promise<void> {
  const lock = tx.textLock(`'${what} ' || id`, mode);
  if (lock === undefined || agentIds.length === 0) return;
  const ids = padded([...new Set(agentIds)]);
  await tx.query(`select ${lock} from agent where id in ${placeholders(1, ids.length)} order by id`, ids);
}

/** Returns a locked contact's addresses, oldest first; undefined if there are none. */
export const addressesOf = coalesceKeysInTx(
  async (tx: Tx, contactIds) =>
    groupBy(
      await tx
        .createQueryBuilder(ContactAddress, "address")
        .where("address.contact_id IN (:...contactIds)", { contactIds })
        .orderBy("address.id")
        .getMany(),
      ({ contactId }) => contactId,
    ),
  { cache: true },
);
