import { canonicalLocale } from "../../common/locales";
import { timestamp } from "../../common/time";
import { coalesceInTx, coalesceKeysInTx, eachAccepted, settled } from "../../database/coalesce-in-tx";
import { insertAll } from "../../database/insert-all";
import { nextIds } from "../../database/next-ids";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError } from "../../errors";
import { lockAgent } from "../agents/agent-scope";
import { recordEvents } from "../events/record-events";
import type { Address } from "./addresses";
import { type Consents, detachConsents } from "./consents";
import { Contact } from "./contact.entity";
import { ContactAddress } from "./contact-address.entity";
import { addAddresses, assertFit, normalized, ownersOf, sameContact } from "./contact-addresses";
import { contactEvent } from "./contact-events";
import { insertTerms, replaceTerms } from "./contact-search";
import { addressesOf, type ContactKey, contactIdOf, lockContacts } from "./known-contact";
import type { PutContactInput, StoredContact } from "./put-contact.inputs";

/** The members of an input that are stored in the contact's row. */
type Fields = Pick<Contact, "ref" | "name" | "locale" | "timezone" | "attributes">;

/**
 * Creates or changes the contact that an input refers to.
 * @param input has a `ref` or addresses
 * @throws GatewayError `conflict`, `version_conflict`, `limit_reached`
 */
export async function putContact(
  tx: Tx,
  agentId: string,
  input: PutContactInput,
  consents: Consents,
): Promise<StoredContact> {
  const { ref = null } = input;
  const addresses = normalized(input.addresses ?? []);
  // Limits the number of parameters in the statements that look up a batch.
  assertFit(addresses.length);
  const found = await findMeant(tx, { agentId, ref, addresses });
  if (found !== null) {
    const contact = await changeInTurn(tx, found.id, () => change(tx, found.id, input, addresses, consents));
    return { contact, created: false };
  }
  if (input.expectedVersion != null)
    throw new GatewayError("version_conflict", "The contact does not exist, or no longer has the address.");
  return { contact: await create(tx, agentId, input, addresses, consents), created: true };
}

/**
 * Creates or changes contacts the way `putContact` does. Inputs with the same key refer to the same contact.
 * @param inputs each with one key, a `ref` or an address
 * @returns the contact for each input
 */
export function putContacts(
  tx: Tx,
  inputs: readonly (PutContactInput & { agentId: string })[],
  consents: Consents,
): Promise<Contact[]> {
  const puts = new Map<string, Promise<StoredContact>>();
  return settled(
    inputs.map(async ({ agentId, ...input }) => {
      const key = JSON.stringify([agentId, input.ref, input.addresses]);
      const put = puts.get(key) ?? putContact(tx, agentId, input, consents);
      puts.set(key, put);
      return (await put).contact;
    }),
  );
}

interface Names {
  agentId: string;
  ref: string | null;
  addresses: readonly Address[];
}

interface MeantIds {
  byRef: string | undefined;
  owners: string[];
}

/** Returns the IDs of the contacts that an input may refer to: the one with its `ref`, and those with its addresses. */
async function idsMeant(tx: Tx, { agentId, ref, addresses }: Names): Promise<MeantIds> {
  const [byRef, owners] = await Promise.all([
    ref === null ? undefined : contactIdOf(tx, { agentId, ref }),
    ownersOf(tx, agentId, addresses),
  ]);
  return { byRef, owners };
}

/**
 * Returns the IDs like `idsMeant`. If there are none, locks the agent before any contact is locked, because an
 * agent's new contacts become visible in ID order for clients that page through them.
 */
const idsToPut = coalesceInTx<Tx, Names, MeantIds>(async (tx, inputs) => {
  const found = await Promise.all(inputs.map(async (names) => ({ names, ids: await idsMeant(tx, names) })));
  return eachAccepted(found, async ({ names, ids }) => {
    if (ids.byRef !== undefined || ids.owners.length > 0) return ids;
    await lockAgent(tx, names.agentId);
    return idsMeant(tx, names);
  });
});

/** Finds the ID of the contact with a key like `contactIdOf`; if there is none, `putContact` may create it. */
export async function contactIdToPut(
  tx: Tx,
  { agentId, ref = null, address }: ContactKey & { agentId: string },
): Promise<string | undefined> {
  const ids = await idsToPut(tx, { agentId, ref, addresses: address == null ? [] : [address] });
  return ids.byRef ?? ids.owners[0];
}

/**
 * Locks the contacts that an input may refer to, and returns the one it refers to; null for a new contact.
 * @throws GatewayError `conflict`
 */
async function findMeant(tx: Tx, names: Names): Promise<Contact | null> {
  const { byRef, owners } = await idsToPut(tx, names);
  // The contacts are locked together, so that all contacts in a batch are locked in ID order.
  const [named, ...others] = await Promise.all(
    [byRef, ...owners].map((id) => (id === undefined ? undefined : lockedById(tx, id))),
  );
  const present = others.flatMap((contact) => contact ?? []);
  const meant = sameContact(named ?? null, present, names.ref);
  if (meant === null && (byRef !== undefined || owners.length > 0)) throw changedConcurrently();
  return meant;
}

const lockedById = coalesceKeysInTx((tx: Tx, ids) => lockContacts(tx, ids));

async function create(
  tx: Tx,
  agentId: string,
  input: PutContactInput,
  addresses: readonly Address[],
  consents: Consents,
): Promise<Contact> {
  const fields = fieldsOf(input, { ref: null, name: null, locale: null, timezone: null, attributes: {} });
  const contact = await insertContact(tx, { agentId, ...fields });
  addressesOf.set(tx, contact.id, []);
  const { all } = await addAddresses(tx, contact, addresses, consents);
  await insertTerms(tx, contact, all);
  recordEvents(tx, [contactEvent("contact.created", contact)]);
  return contact;
}

const insertContact = coalesceInTx(async (tx: Tx, drafts: readonly (Fields & { agentId: string })[]) => {
  const nextId = await nextIds(tx, "contact", drafts);
  const now = timestamp();
  const contacts = drafts.map((draft) =>
    tx.create(Contact, {
      id: nextId(draft.agentId),
      ...draft,
      version: 1,
      handedOffAt: null,
      createdAt: now,
      updatedAt: now,
      touchedAt: now,
      erasedAt: null,
    }),
  );
  await insertAll(tx, Contact, contacts);
  return contacts;
});

/** The last change to each contact, by transaction. */
const lastChanges = new WeakMap<Tx, Map<string, Promise<unknown>>>();

/** Runs a change after the transaction's earlier changes to the contact, whose rows it reads and updates. */
export function changeInTurn<T>(tx: Tx, id: string, work: () => Promise<T>): Promise<T> {
  const last = lastChanges.get(tx) ?? new Map<string, Promise<unknown>>();
  lastChanges.set(tx, last);
  const turn = last.has(id) ? Promise.resolve(last.get(id)).then(work, work) : work();
  last.set(id, turn);
  return turn;
}

/** Changes a locked contact. A change that is already in effect does not create a new version. */
async function change(
  tx: Tx,
  id: string,
  input: PutContactInput,
  addresses: readonly Address[],
  consents: Consents,
): Promise<Contact> {
  const contact = await tx.findOneByOrFail(Contact, { id });
  if (contact.erasedAt !== null || (input.ref != null && contact.ref !== null && contact.ref !== input.ref)) {
    throw changedConcurrently();
  }
  if (input.expectedVersion != null && input.expectedVersion !== contact.version)
    throw new GatewayError("version_conflict", `The contact is at version ${contact.version}.`);
  if (input.addresses === null) await detachConsents(tx, [id]);
  const removed =
    input.addresses === null && ((await tx.delete(ContactAddress, { contactId: id })).affected ?? 0) > 0;
  if (removed) addressesOf.set(tx, id, []);
  const { all, added } = await addAddresses(tx, contact, addresses, consents);
  const fields = fieldsOf(input, contact);
  const isSame = (Object.keys(fields) as (keyof Fields)[]).every(
    (name) => JSON.stringify(fields[name]) === JSON.stringify(contact[name]),
  );
  if (isSame && !added && !removed) return contact;
  const next = { ...fields, version: contact.version + 1, updatedAt: timestamp() };
  await tx.update(Contact, { id }, next as object);
  Object.assign(contact, next);
  await replaceTerms(tx, contact, all);
  recordEvents(tx, [contactEvent("contact.updated", contact)]);
  return contact;
}

const changedConcurrently = () => new GatewayError("conflict", "The contact was changed by another request.");

/** Returns the fields after applying an input: omitted fields stay unchanged, and null clears a field. */
function fieldsOf(input: PutContactInput, { ref, name, locale, timezone, attributes }: Fields): Fields {
  const given = {
    ref: input.ref,
    name: input.name?.trim() ?? input.name,
    locale: input.locale == null ? input.locale : canonicalLocale(input.locale),
    timezone: input.timezone,
    attributes: input.attributes === null ? {} : input.attributes,
  };
  const omitted = Object.entries(given).filter(([, value]) => value === undefined);
  const present = { ref, name, locale, timezone, attributes };
  return {
    ...given,
    ...Object.fromEntries(omitted.map(([key]) => [key, present[key as keyof Fields]])),
  } as Fields;
}
