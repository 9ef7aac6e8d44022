// Long, because all operations on contacts start here, with their access checks and transactions; their steps are in
// other files of this folder.

import { type EntityManager, In } from "typeorm";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { isUuid } from "../../common/uuid";
import { settled } from "../../database/coalesce-in-tx";
import type { Database } from "../../database/database";
import { rowsById, rowsByKey } from "../../database/rows-by-id";
import { noSuch } from "../../errors";
import { directionOf, pageOfRows } from "../../pagination/connection";
import { listOfParent } from "../../pagination/list-of-parent";
import { countRows } from "../../pagination/total-count";
import type { HookRegistry } from "../../schema/hooks";
import { problemIn } from "../../schema/validate-input";
import { findOfCaller, scopedAgentId } from "../agents/agent-scope";
import { assertStillAllowed } from "../api-keys/assert-accepted";
import { recordAudit } from "../audit/audit";
import { Consent, ConsentSource } from "./consent.entity";
import type { Consents } from "./consents";
import { contactActions } from "./contact.audit";
import { Contact, ContactConnection } from "./contact.entity";
import type {
  ChangeContactTagsInput,
  ContactArgs,
  ContactsArgs,
  SetConsentInput,
  TagChange,
} from "./contact.inputs";
import { ContactAddress } from "./contact-address.entity";
import { markDeliverable } from "./contact-addresses";
import { ContactTag } from "./contact-tag.entity";
import { eraseContacts } from "./erase-contact";
import { Erasure } from "./erasure.entity";
import type { Erasures } from "./erasures";
import { assertNotErased, lockContact } from "./find-contact";
import { addressesOf } from "./known-contact";
import { idsIn, listed, taggedEntries } from "./list-contacts";
import type {
  PutContactInput,
  PutContactResult,
  PutContactsInput,
  StoredContact,
} from "./put-contact.inputs";
import {
  addressesToConsentAt,
  type PutRequest,
  partsOf,
  putConsents,
  putTagged,
  putTogether,
  rejected,
  sourceOf,
} from "./put-contacts";
import { countFound, searchContacts } from "./search-contacts";
import { changeTagsTogether, type TagRequest } from "./tag-changes";
import { normalizeTag } from "./tags";
import { assertTopics, type Topic, unknownTopics } from "./topic";

/** Manages agents' contacts. */
export class ContactService {
  // Lookups and lists by the ID of the contact or agent, without access checks.
  readonly addressesOf = rowsByKey(this.database, "addresses", "contactId", (reader, ids) =>
    reader.find(ContactAddress, { where: { contactId: In(ids) }, order: { id: "ASC" } }),
  );
  readonly byId = rowsById(this.database, "contacts", Contact);
  readonly ofAgent = listOfParent(this.database, ContactConnection, {
    what: "contacts of agents",
    entity: Contact,
    parent: "agentId",
    condition: "erased_at IS NULL",
  });
  readonly topicsOf = this.database.coalesceByKey("topics", (agentIds) =>
    this.database.read(async (reader) => {
      const found = agentIds.map(async (id) => [id, await this.readTopics(reader, id)] as const);
      return new Map(await Promise.all(found));
    }),
  );

  private readonly tags = rowsByKey(this.database, "tags", "contactId", (reader, ids) =>
    reader.findBy(ContactTag, { contactId: In(ids) }),
  );
  private readonly consentsAt = rowsByKey(this.database, "consents", "addressId", (reader, ids) =>
    reader.find(Consent, { where: { addressId: In(ids) }, order: { id: "ASC" } }),
  );
  private readonly changeInBatch = this.database.batchInsertsByOwner<TagRequest, TagChange>(
    ({ context }) => ownerOf(context.caller),
    changeTagsTogether,
  );

  constructor(
    private readonly database: Database,
    private readonly erasures: Erasures,
    private readonly consents: Consents,
    private readonly hooks: HookRegistry,
  ) {}

  /** Reads a contact's tags in alphabetical order, without an access check. */
  async tagsOf(contactId: string): Promise<string[]> {
    return ((await this.tags(contactId)) ?? []).map(({ tag }) => tag).sort();
  }

  /** Returns a contact's consents, ordered by address, oldest first. Does not check access. */
  async consentsOf(contactId: string): Promise<Consent[]> {
    const addresses = (await this.addressesOf(contactId)) ?? [];
    const consents = await Promise.all(addresses.map(({ id }) => this.consentsAt(id)));
    return consents.flatMap((each) => each ?? []);
  }

  /**
   * Finds a contact by ID or `ref`.
   * @returns null if the caller's agent or organization has no such contact
   * @throws GatewayError `invalid_request`, `not_found` (agent)
   */
  find(context: RequestContext, { by: { id, ref }, agentId }: ContactArgs): Promise<Contact | null> {
    return this.database.read(async (reader) => {
      if (id != null) return findOfCaller(reader, context, Contact, id);
      const agent = await scopedAgentId(reader, context, agentId);
      // PostgreSQL rejects strings that contain NUL or are not well-formed.
      if (ref == null || ref.includes("\0") || !ref.isWellFormed()) return null;
      return reader.findOneBy(Contact, { agentId: agent, ref });
    });
  }

  /**
   * Returns one page of an agent's contacts. API keys use their own agent; members specify one.
   * @throws GatewayError `invalid_request`, `invalid_cursor`, `not_found` (agent)
   */
  async list(
    context: RequestContext,
    { agentId, tag, search, ids, order, ...args }: ContactsArgs,
  ): Promise<ContactConnection> {
    const page = ContactConnection.pageOf(args);
    const filter = { tag: tag == null ? undefined : normalizeTag(tag), ids: ids?.filter(isUuid) };
    const direction = directionOf(order);
    const searchIn = (agent: string, text: string) => ({ ...filter, agentId: agent, text });
    // Searching for a common term among contacts with a rare tag reads many rows.
    const read = <T>(query: (reader: EntityManager, agent: string) => Promise<T>) =>
      this.database.report(organizationOf(context), async (reader) =>
        query(reader, await scopedAgentId(reader, context, agentId)),
      );
    const rows = await read(async (reader, agent) => {
      const entries = taggedEntries(reader, agent, filter);
      if (search == null && entries === undefined)
        return pageOfRows(listed(reader, agent, filter), page, direction);
      const found =
        search == null
          ? await idsIn(entries as NonNullable<typeof entries>, page, direction)
          : await searchContacts(reader, searchIn(agent, search), {
              after: page.after,
              direction,
              limit: page.limit + 1,
            });
      return reader.find(Contact, { where: { id: In(found) }, order: { id: direction } });
    });
    return new ContactConnection(rows, page, () =>
      read((reader, agent) =>
        search == null
          ? countRows<object>(reader, taggedEntries(reader, agent, filter) ?? listed(reader, agent, filter))
          : countFound(reader, searchIn(agent, search)),
      ),
    );
  }

  /**
   * Creates or changes the contact that the input refers to by `ref` or addresses.
   * @throws GatewayError `invalid_request`, `not_found` (agent), `conflict`, `version_conflict`, `limit_reached`
   */
  put(context: RequestContext, { agentId, ...input }: PutContactInput): Promise<StoredContact> {
    return this.database.writeFor(
      ownerOf(context.caller),
      async (tx) => {
        await assertStillAllowed(tx, context, Permission.conversations_write);
        const agent = await scopedAgentId(tx, context, agentId, "input.agentId");
        const named = topicsIn(input, "input.");
        if (named.length > 0) assertTopics(await this.readTopics(tx, agent), named);
        const request = { context, agentId: agent, input };
        const stored = await putTagged(tx, request, this.consents);
        await putConsents(tx, [{ request, contact: stored.contact }], this.consents);
        return stored;
      },
      { isRepeated: true },
    );
  }

  /**
   * Creates or changes contacts the way `put` does; an invalid contact does not affect the others.
   * @returns the result for each contact, in order
   * @throws GatewayError `not_found` (agent), or an error that ends the batch; contacts stored before it remain
   */
  async putAll(context: RequestContext, { contacts }: PutContactsInput): Promise<PutContactResult[]> {
    const agentIds = new Map<string | null | undefined, string>();
    const rejections = await Promise.all(
      contacts.map((contact, i) => context.malformed?.get(i) ?? problemIn(contact)),
    );
    await this.database.read(async (reader) => {
      for (const [i, { agentId }] of contacts.entries()) {
        if (agentIds.has(agentId)) continue;
        const path = `input.contacts.${i}.agentId`;
        agentIds.set(agentId, await scopedAgentId(reader, context, agentId, path));
      }
      const topics = new Map<string, Topic[]>();
      for (const [i, contact] of contacts.entries()) {
        const named = rejections[i] === undefined ? topicsIn(contact) : [];
        if (named.length === 0) continue;
        const agentId = agentIds.get(contact.agentId) as string;
        const known = topics.get(agentId) ?? (await this.readTopics(reader, agentId));
        topics.set(agentId, known);
        rejections[i] = unknownTopics(known, named);
      }
    });
    const requests = contacts
      .filter((_, i) => rejections[i] === undefined)
      .map(({ agentId, ...input }) => ({ context, agentId: agentIds.get(agentId) as string, input }));
    const results: PutContactResult[] = [];
    for (const part of partsOf(requests))
      results.push(...(await putTogether(part, (each) => this.storeAll(each))));
    const rest = results.values();
    return rejections.map((problem) =>
      problem === undefined ? (rest.next().value as PutContactResult) : rejected(problem),
    );
  }

  private storeAll(requests: readonly PutRequest[]): Promise<StoredContact[]> {
    const { context } = requests[0] as PutRequest;
    return this.database.writeFor(
      ownerOf(context.caller),
      async (tx) => {
        await assertStillAllowed(tx, context, Permission.conversations_write);
        const stored = await settled(requests.map((request) => putTagged(tx, request, this.consents)));
        const put = stored.map(({ contact }, i) => ({ request: requests[i] as PutRequest, contact }));
        await putConsents(tx, put, this.consents, ConsentSource.import);
        return stored;
      },
      { isRepeated: true },
    );
  }

  /**
   * Deletes all data about a contact except its ID and timestamps; erasing it again has no effect.
   * @returns the contact, once all data is erased or after a few seconds; the rest follows in the background
   * @throws GatewayError `not_found`
   */
  async erase(context: RequestContext, id: string): Promise<Contact> {
    const { contact, isUnfinished } = await this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertStillAllowed(tx, context, Permission.config_manage);
      const contact = await lockContact(tx, context, id);
      if (contact.erasedAt !== null)
        return { contact, isUnfinished: await tx.existsBy(Erasure, { contactId: id }) };
      await eraseContacts(tx, context, [contact], this.erasures);
      return { contact, isUnfinished: true };
    });
    if (isUnfinished) await this.erasures.finish(id, organizationOf(context));
    return contact;
  }

  /**
   * Sets a contact's consent at one or all of its addresses. An opt-out cancels messages that have not been sent.
   * @throws GatewayError `not_found`, `invalid_request`, or `conflict` for a contact that is erased or has no addresses
   */
  setConsent(
    context: RequestContext,
    { id, topic, state, addressId, evidence = null }: SetConsentInput,
  ): Promise<Contact> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertStillAllowed(tx, context, Permission.conversations_write);
      const contact = await lockContact(tx, context, id);
      assertNotErased(contact);
      assertTopics(await this.readTopics(tx, contact.agentId), [{ topic, path: "input.topic" }]);
      const addresses = await addressesToConsentAt(tx, contact, addressId ?? undefined);
      const consent = { contact, addresses, topic, state, source: sourceOf(context), evidence };
      if ((await this.consents.change(tx, [consent])).length > 0) {
        const target = { id, name: id, organizationId: organizationOf(context) };
        const changes = { topic: [null, topic], state: [null, state] } as const;
        await recordAudit(tx, context, contactActions.contact_consent_set, target, changes);
      }
      return contact;
    });
  }

  /**
   * Marks an address as deliverable, so that messages are sent to it again.
   * @throws GatewayError `not_found`
   */
  markDeliverable(context: RequestContext, id: string, addressId: string): Promise<Contact> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertStillAllowed(tx, context, Permission.conversations_write);
      const contact = await lockContact(tx, context, id);
      const address = (await addressesOf(tx, id))?.find((each) => each.id === addressId);
      if (address === undefined) throw noSuch("address");
      await markDeliverable(tx, [address]);
      return contact;
    });
  }

  /**
   * Adds and removes a contact's tags atomically.
   * @throws GatewayError `not_found`, `invalid_request`, `limit_reached`, or `conflict` for an erased contact
   */
  changeTags(context: RequestContext, { id, add, remove }: ChangeContactTagsInput): Promise<TagChange> {
    return this.changeInBatch({ context, contactId: id, add: add ?? [], remove: remove ?? [] });
  }

  private readTopics(reader: EntityManager, agentId: string): Promise<Topic[]> {
    return this.hooks.the("topics")(reader, agentId);
  }
}

const topicsIn = ({ consents }: PutContactInput, parent = "") =>
  (consents ?? []).map(({ topic }, i) => ({ topic, path: `${parent}consents.${i}.topic` }));
