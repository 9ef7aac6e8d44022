import { In } from "typeorm";
import { v7 as uuid } from "uuid";
import { coalesceInTx } from "../../database/coalesce-in-tx";
import { insertAll } from "../../database/insert-all";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, InvalidInput } from "../../errors";
import { type Address, normalizeAddress } from "./addresses";
import type { Consents } from "./consents";
import type { Contact } from "./contact.entity";
import { MAX_ADDRESSES } from "./contact.limits";
import { ContactAddress } from "./contact-address.entity";
import { addressesOf, contactIdOf } from "./known-contact";
import type { NewAddress } from "./put-contact.inputs";

const ANOTHER_CONTACT = "Another contact has one of the addresses.";

const nameOf = ({ kind, address }: Address) => `${kind} ${address}`;

/** Returns distinct normalized addresses in a fixed order, so that concurrent inserts do not deadlock. */
export function normalized(addresses: readonly NewAddress[]): Address[] {
  const all = addresses.map(({ kind, address }, i) => {
    const found = normalizeAddress(kind, address);
    if ("problem" in found) {
      throw new InvalidInput([{ path: `input.addresses.${i}.address`, message: found.problem }]);
    }
    return { kind, address: found.address };
  });
  const distinct = new Map(all.map((each) => [nameOf(each), each]));
  return [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, address]) => address);
}

/** @throws GatewayError `limit_reached` if a contact would have too many addresses */
export function assertFit(addresses: number): void {
  if (addresses > MAX_ADDRESSES)
    throw new GatewayError("limit_reached", `A contact can have at most ${MAX_ADDRESSES} addresses.`);
}

/** Returns the IDs of the contacts that have any of the addresses. */
export async function ownersOf(tx: Tx, agentId: string, addresses: readonly Address[]): Promise<string[]> {
  const ids = await Promise.all(addresses.map((address) => contactIdOf(tx, { agentId, address })));
  return [...new Set(ids.flatMap((id) => id ?? []))];
}

/**
 * Adds addresses to a locked or new contact; existing addresses stay unchanged.
 * @returns all of the contact's addresses, and true if any was added
 * @throws GatewayError `limit_reached`, or `conflict` if another contact has one of the addresses
 */
export async function addAddresses(
  tx: Tx,
  { id: contactId, agentId }: Contact,
  addresses: readonly Address[],
  consents: Consents,
): Promise<{ all: readonly Address[]; added: boolean }> {
  const present = (await addressesOf(tx, contactId)) ?? [];
  const names = new Set(present.map(nameOf));
  const missing = addresses.filter((address) => !names.has(nameOf(address)));
  if (missing.length === 0) return { all: present, added: false };
  assertFit(present.length + missing.length);
  const rows = missing.map((address) =>
    tx.create(ContactAddress, {
      ...address,
      id: uuid(),
      agentId,
      contactId,
      optedOutAt: null,
      undeliverableAt: null,
      loopDetectedAt: null,
    }),
  );
  await insertAddresses(tx, { consents, rows });
  // The unique index resolves races between concurrent calls.
  const owners = await ownersOf(tx, agentId, missing);
  if (owners.some((owner) => owner !== contactId)) throw new GatewayError("conflict", ANOTHER_CONTACT);
  const all = [...present, ...rows];
  addressesOf.set(tx, contactId, all);
  return { all, added: true };
}

const insertAddresses = coalesceInTx(
  async (tx: Tx, added: readonly { consents: Consents; rows: ContactAddress[] }[]) => {
    // The fixed order prevents deadlocks between concurrent inserts of the same addresses.
    const rows = added.flatMap((each) => each.rows).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    await insertAll(tx, ContactAddress, rows, { orIgnore: true });
    await added[0]?.consents.apply(tx, rows);
    return added.map(() => undefined);
  },
);

/**
 * Returns the contact that an input refers to, by its `ref` (`byRef`) or its addresses (`owners`).
 * @throws GatewayError `conflict` if they are different contacts
 */
export function sameContact(
  byRef: Contact | null,
  owners: readonly Contact[],
  ref: string | null,
): Contact | null {
  const [owner = null, second] = owners;
  if (second !== undefined) throw new GatewayError("conflict", "The addresses belong to different contacts.");
  if (byRef !== null) {
    if (owner !== null && owner.id !== byRef.id) throw new GatewayError("conflict", ANOTHER_CONTACT);
    return byRef;
  }
  // Another call may have created the contact since the lookup by `ref`.
  if (ref !== null && owner !== null && owner.ref !== null && owner.ref !== ref)
    throw new GatewayError("conflict", ANOTHER_CONTACT);
  return owner;
}

/** Marks addresses as deliverable, so that messages are sent to them again. */
export async function markDeliverable(tx: Tx, addresses: readonly ContactAddress[]): Promise<void> {
  const marked = addresses.filter(({ undeliverableAt }) => undeliverableAt !== null);
  if (marked.length === 0) return;
  await tx.update(ContactAddress, { id: In(marked.map(({ id }) => id)) }, { undeliverableAt: null });
  for (const address of marked) address.undeliverableAt = null;
}
