import type { RequestContext } from "../../auth/context";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, noSuch } from "../../errors";
import { ConsentSource } from "./consent.entity";
import type { Consents, NewConsent } from "./consents";
import type { Contact } from "./contact.entity";
import type { ContactAddress } from "./contact-address.entity";
import { normalized } from "./contact-addresses";
import { addressesOf } from "./known-contact";
import { changeInTurn, putContact } from "./put-contact";
import {
  PutContactError,
  type PutContactInput,
  type PutContactResult,
  type StoredContact,
} from "./put-contact.inputs";
import { changeKnownTags, tagsOf } from "./tag-changes";

/** Max contacts from one request that can share a transaction. */
const PUT_TOGETHER = 100;

export interface PutRequest {
  context: RequestContext;
  agentId: string;
  input: PutContactInput;
}

/** Splits contacts, in order, into parts without duplicate `ref`s or addresses. */
export function partsOf(requests: readonly PutRequest[]): PutRequest[][] {
  const parts: PutRequest[][] = [];
  let named = new Set<string>();
  for (const request of requests) {
    const { ref, addresses } = request.input;
    const keys = normalized(addresses ?? []).map(({ kind, address }) => `${kind} ${address}`);
    const all = [...(ref == null ? [] : [`=${ref}`]), ...keys].map((key) => `${request.agentId} ${key}`);
    const last = parts.at(-1);
    if (last === undefined || last.length === PUT_TOGETHER || all.some((key) => named.has(key))) {
      parts.push([request]);
      named = new Set(all);
    } else {
      last.push(request);
      for (const key of all) named.add(key);
    }
  }
  return parts;
}

/** Stores contacts in one transaction or, if one of them is rejected, in one transaction per contact, in order. */
export async function putTogether(
  requests: readonly PutRequest[],
  store: (requests: readonly PutRequest[]) => Promise<StoredContact[]>,
): Promise<PutContactResult[]> {
  try {
    const stored = await store(requests);
    return stored.map(({ contact: { id }, created }) => ({
      contactId: id,
      created,
      errorCode: null,
      errorText: null,
    }));
  } catch (error) {
    if (!(error instanceof GatewayError && error.code in PutContactError)) throw error;
    if (requests.length === 1) return [rejected(error)];
    const results: PutContactResult[] = [];
    for (const request of requests) results.push(...(await putTogether([request], store)));
    return results;
  }
}

/** Returns the result for a contact that was not stored. */
export const rejected = ({ code, message }: GatewayError): PutContactResult => ({
  contactId: null,
  created: false,
  errorCode: code as PutContactError,
  errorText: message,
});

/**
 * Stores the consents given for contacts that the transaction has locked or created.
 * @param source the source of all consents; by default, the source that matches each request's caller
 * @throws GatewayError `conflict` for a contact without an address
 */
export async function putConsents(
  tx: Tx,
  put: readonly { request: PutRequest; contact: Contact }[],
  consents: Consents,
  source?: ConsentSource,
): Promise<void> {
  const found = await Promise.all(
    put.map(async ({ request, contact }): Promise<NewConsent[]> => {
      const { consents: given } = request.input;
      if (given == null || given.length === 0) return [];
      const addresses = await addressesToConsentAt(tx, contact);
      return given.map(({ topic, state, evidence = null }) => ({
        ...{ contact, addresses, topic, state, evidence },
        source: source ?? sourceOf(request.context),
      }));
    }),
  );
  await consents.change(tx, found.flat());
}

/** Returns the source to record for a consent that a request sets. */
export const sourceOf = ({ caller }: RequestContext): ConsentSource =>
  caller.kind === "agent" ? ConsentSource.api : ConsentSource.member;

/**
 * Returns a locked contact's addresses that a consent applies to.
 * @param id ID of one address; undefined for all addresses
 * @throws GatewayError `not_found`, or `conflict` for a contact without an address
 */
export async function addressesToConsentAt(tx: Tx, contact: Contact, id?: string): Promise<ContactAddress[]> {
  const all = (await addressesOf(tx, contact.id)) ?? [];
  const addresses = id === undefined ? all : all.filter((address) => address.id === id);
  if (addresses.length > 0) return addresses;
  if (id !== undefined) throw noSuch("address");
  throw new GatewayError("conflict", "A consent requires an address, but the contact has none.");
}

/** Creates or changes a contact and adds its tags. */
export async function putTagged(
  tx: Tx,
  { context, agentId, input }: PutRequest,
  consents: Consents,
): Promise<StoredContact> {
  const { tags, consents: _, ...fields } = input;
  const stored = await putContact(tx, agentId, fields, consents);
  if (tags == null || tags.length === 0) return stored;
  const { contact, created } = stored;
  await changeInTurn(tx, contact.id, async () => {
    const before = created ? [] : ((await tagsOf(tx, contact.id)) ?? []);
    await changeKnownTags(tx, contact, before, { context, add: tags, remove: [] });
  });
  return stored;
}
