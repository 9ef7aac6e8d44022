import { type EntityManager, In, type SelectQueryBuilder } from "typeorm";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { groupBy } from "../../common/group-by";
import { timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import { settled } from "../../database/coalesce-in-tx";
import type { Database } from "../../database/database";
import { rowsById } from "../../database/rows-by-id";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, noSuch } from "../../errors";
import { directionOf, type Page, pageOfRows } from "../../pagination/connection";
import { type ListOfParent, listOfParent } from "../../pagination/list-of-parent";
import { countRows } from "../../pagination/total-count";
import { findOfCaller, scopedAgentId } from "../agents/agent-scope";
import { assertStillAllowed } from "../api-keys/assert-accepted";
import { recordAudit } from "../audit/audit";
import { recordEvents } from "../events/record-events";
import { Consent } from "./consent.entity";
import { type Consents, detachConsents } from "./consents";
import { contactActions } from "./contact.audit";
import { ContactConnection } from "./contact.connection";
import { Contact } from "./contact.entity";
import {
  type ContactArgs,
  type ContactsArgs,
  PutContactError,
  type PutContactInput,
  type PutContactResult,
  type PutContactsInput,
  type StoredContact,
  type TagChange,
} from "./contact.inputs";
import { ContactAddress } from "./contact-address.entity";
import { markDeliverable, normalized } from "./contact-addresses";
import { contactEvent } from "./contact-events";
import { termOf } from "./contact-search";
import { ContactTag } from "./contact-tag.entity";
import { ContactTerm } from "./contact-term.entity";
import { Erasure } from "./erasure.entity";
import type { Erasures } from "./erasures";
import { lockContact } from "./find-contact";
import { addressesOf } from "./known-contact";
import { putContact } from "./put-contact";
import { changeKnownTags, changeTagsOf, type TagRequest, tagsOf } from "./tag-changes";
import { normalizeTag } from "./tags";

/** How many contacts of one request share a transaction. */
const PUT_TOGETHER = 100;

/** The contacts of agents. */
export class ContactService {
  /** The addresses of a contact, oldest first. Does not check access. */
  readonly addressesOf: (contactId: string) => Promise<ContactAddress[] | undefined>;
  /** The tags of a contact in alphabetical order. Does not check access. */
  readonly tagsOf: (contactId: string) => Promise<string[] | undefined>;

  /** A contact by its ID; without an access check. */
  readonly byId: (id: string) => Promise<Contact | undefined>;
  /** A page of the contacts of an agent; without an access check. */
  readonly ofAgent: ListOfParent<ContactConnection>;

  private readonly consentsAt: (addressId: string) => Promise<Consent[] | undefined>;
  private readonly changeInBatch: (request: TagRequest) => Promise<TagChange>;

  constructor(
    private readonly database: Database,
    private readonly erasures: Erasures,
    private readonly consents: Consents,
  ) {
    this.changeInBatch = database.batchInsertsByOwner<TagRequest, TagChange>(
      ({ context }) => ownerOf(context.caller),
      (tx, requests) => this.changeBatch(tx, requests),
    );
    this.byId = rowsById(database, "contacts", Contact);
    this.ofAgent = listOfParent(database, ContactConnection, {
      what: "contacts of agents",
      entity: Contact,
      parent: "agentId",
      condition: "erased_at IS NULL",
    });
    this.addressesOf = database.coalesceByKey("addresses", async (ids) =>
      groupBy(
        await database.read((reader) =>
          reader.find(ContactAddress, { where: { contactId: In(ids) }, order: { id: "ASC" } }),
        ),
        contactOf,
      ),
    );
    this.consentsAt = database.coalesceByKey("consents", async (ids) =>
      groupBy(
        await database.read((reader) => reader.findBy(Consent, { addressId: In(ids) })),
        ({ addressId }) => addressId as string,
      ),
    );
    const tags = database.coalesceByKey("tags", async (ids) =>
      groupBy(await database.read((reader) => reader.findBy(ContactTag, { contactId: In(ids) })), contactOf),
    );
    this.tagsOf = async (id) => (await tags(id))?.map(({ tag }) => tag).sort();
  }

  /** The consents at a contact's addresses, those of the oldest address first. Does not check access. */
  async consentsOf(contactId: string): Promise<Consent[]> {
    const addresses = (await this.addressesOf(contactId)) ?? [];
    const consents = await Promise.all(addresses.map(({ id }) => this.consentsAt(id)));
    return consents.flatMap((each) => each ?? []);
  }

  /**
   * A contact by its ID or `ref`.
   * @returns null if the caller's agent, or a member's organization, has no such contact
   * @throws GatewayError `invalid_request`, `not_found` (agent)
   */
  find(context: RequestContext, { by: { id, ref }, agentId }: ContactArgs): Promise<Contact | null> {
    return this.database.read(async (reader) => {
      if (id != null) return findOfCaller(reader, context, Contact, id);
      const agent = await scopedAgentId(reader, context, agentId);
      // PostgreSQL rejects other texts.
      if (ref == null || ref.includes("\0") || !ref.isWellFormed()) return null;
      return reader.findOneBy(Contact, { agentId: agent, ref });
    });
  }

  /**
   * One page of the contacts of the calling agent, or of the agent given by a member.
   * @throws GatewayError `invalid_request`, `invalid_cursor`, `not_found` (agent)
   */
  async list(
    context: RequestContext,
    { agentId, tag, search, ids, order, ...args }: ContactsArgs,
  ): Promise<ContactConnection> {
    const page = ContactConnection.pageOf(args);
    const filter: Filter = {
      tag: tag == null ? undefined : normalizeTag(tag),
      term: search == null ? undefined : termOf(search),
      ids: ids?.filter(isUuid),
    };
    const direction = directionOf(order);
    // A search for a common term with a rare tag reads many rows.
    const read = <T>(query: (reader: EntityManager, agent: string) => Promise<T>) =>
      this.database.report(organizationOf(context), async (reader) =>
        query(reader, await scopedAgentId(reader, context, agentId)),
      );
    const rows = await read(async (reader, agent) => {
      const entries = matchingEntries(reader, agent, filter);
      if (entries === undefined) return pageOfRows(listed(reader, agent, filter), page, direction);
      const found = await idsIn(entries, page, direction);
      return reader.find(Contact, { where: { id: In(found) }, order: { id: direction } });
    });
    return new ContactConnection(rows, page, () =>
      read((reader, agent) =>
        countRows<object>(reader, matchingEntries(reader, agent, filter) ?? listed(reader, agent, filter)),
      ),
    );
  }

  /**
   * Creates or changes the contact that the input refers to by `ref` or addresses.
   * @throws GatewayError `invalid_request`, `not_found` (agent), `conflict`, `limit_reached`
   */
  put(context: RequestContext, { agentId, ...input }: PutContactInput): Promise<StoredContact> {
    return this.database.writeFor(
      ownerOf(context.caller),
      async (tx) => {
        await this.authorize(tx, context, Permission.conversations_write);
        const agent = await scopedAgentId(tx, context, agentId, "input.agentId");
        return this.putTagged(tx, { context, agentId: agent, input });
      },
      { isRepeated: true },
    );
  }

  /**
   * Creates or changes contacts as `put` does.
   * @returns what became of each, in order
   * @throws GatewayError `not_found` (agent), or another that is no contact's own; contacts may be stored nevertheless
   */
  async putAll(context: RequestContext, { contacts }: PutContactsInput): Promise<PutContactResult[]> {
    const agentIds = new Map<string | null | undefined, string>();
    await this.database.read(async (reader) => {
      for (const [i, { agentId }] of contacts.entries()) {
        if (agentIds.has(agentId)) continue;
        const path = `input.contacts.${i}.agentId`;
        agentIds.set(agentId, await scopedAgentId(reader, context, agentId, path));
      }
    });
    const requests = contacts.map(({ agentId, ...input }) => ({
      context,
      agentId: agentIds.get(agentId) as string,
      input,
    }));
    const results: PutContactResult[] = [];
    for (const part of partsOf(requests)) results.push(...(await this.putTogether(part)));
    return results;
  }

  /** Stores contacts in one transaction; if one of them is rejected, each in one of its own, in order. */
  private async putTogether(requests: readonly PutRequest[]): Promise<PutContactResult[]> {
    try {
      const stored = await this.storeAll(requests);
      return stored.map(({ contact: { id }, created }) => ({
        contactId: id,
        created,
        errorCode: null,
        errorText: null,
      }));
    } catch (error) {
      if (!(error instanceof GatewayError && error.code in PutContactError)) throw error;
      if (requests.length === 1)
        return [
          {
            contactId: null,
            created: false,
            errorCode: error.code as PutContactError,
            errorText: error.message,
          },
        ];
      const results: PutContactResult[] = [];
      for (const request of requests) results.push(...(await this.putTogether([request])));
      return results;
    }
  }

  private storeAll(requests: readonly PutRequest[]): Promise<StoredContact[]> {
    const { context } = requests[0] as PutRequest;
    return this.database.writeFor(
      ownerOf(context.caller),
      async (tx) => {
        await this.authorize(tx, context, Permission.conversations_write);
        return settled(requests.map((request) => this.putTagged(tx, request)));
      },
      { isRepeated: true },
    );
  }

  /**
   * Deletes all data about a contact except its ID and timestamps, including data stored by other features. Erasing a
   * contact again has no effect.
   * @returns the contact once all data is erased, or after a few seconds, with the rest erased in the background
   * @throws GatewayError `not_found`
   */
  async erase(context: RequestContext, id: string): Promise<Contact> {
    const { contact, isUnfinished } = await this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await this.authorize(tx, context, Permission.config_manage);
      const contact = await lockContact(tx, context, id);
      if (contact.erasedAt !== null)
        return { contact, isUnfinished: await tx.existsBy(Erasure, { contactId: id }) };
      await detachConsents(tx, id);
      for (const part of [ContactAddress, ContactTag, ContactTerm]) await tx.delete(part, { contactId: id });
      const now = timestamp();
      const empty = { ref: null, name: null, locale: null, timezone: null, attributes: {} };
      const change = { ...empty, version: contact.version + 1, updatedAt: now, erasedAt: now };
      await tx.update(Contact, { id }, change);
      const target = { id, name: id, organizationId: organizationOf(context) };
      await recordAudit(tx, context, contactActions.contact_erased, target);
      await this.erasures.begin(tx, id);
      Object.assign(contact, change);
      recordEvents(tx, [contactEvent("contact.erased", contact)]);
      return { contact, isUnfinished: true };
    });
    if (isUnfinished) await this.erasures.finish(id, organizationOf(context));
    return contact;
  }

  /**
   * Lets messages be sent to an address again.
   * @throws GatewayError `not_found`
   */
  markDeliverable(context: RequestContext, id: string, addressId: string): Promise<Contact> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await this.authorize(tx, context, Permission.conversations_write);
      const contact = await lockContact(tx, context, id);
      const address = (await addressesOf(tx, id))?.find((each) => each.id === addressId);
      if (address === undefined) throw noSuch("address");
      await markDeliverable(tx, [address]);
      return contact;
    });
  }

  /**
   * Adds and removes tags of a contact atomically.
   * @throws GatewayError `not_found`, `invalid_request`, `limit_reached`, or `conflict` for an erased contact
   */
  changeTags(
    context: RequestContext,
    id: string,
    { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
  ): Promise<TagChange> {
    return this.changeInBatch({ context, contactId: id, add, remove });
  }

  /** Concurrent changes share a transaction; changes of one contact also share its lock. */
  private async changeBatch(tx: Tx, requests: readonly TagRequest[]): Promise<(TagChange | GatewayError)[]> {
    const rejections = await this.rejectionsOf(tx, requests);
    const results = new Map<TagRequest, TagChange | GatewayError>();
    const byContact = new Map<string, TagRequest[]>();
    for (const request of requests) {
      const rejection = rejections.get(callerOf(request));
      if (rejection !== undefined) results.set(request, rejection);
      else byContact.set(request.contactId, [...(byContact.get(request.contactId) ?? []), request]);
    }
    // Locks in a fixed order, so that batches do not deadlock.
    for (const [id, changes] of [...byContact].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const outcomes = await changeTagsOf(tx, id, changes);
      for (const [i, request] of changes.entries()) results.set(request, outcomes[i] as TagChange);
    }
    return requests.map((request) => results.get(request) as TagChange | GatewayError);
  }

  /** The rejections of callers who are no longer authorized. */
  private async rejectionsOf(
    tx: Tx,
    requests: readonly TagRequest[],
  ): Promise<ReadonlyMap<string, GatewayError>> {
    const rejections = new Map<string, GatewayError>();
    const contexts = new Map(requests.map((request) => [callerOf(request), request.context]));
    for (const [caller, context] of [...contexts].sort(([a], [b]) => (a < b ? -1 : 1))) {
      try {
        await this.authorize(tx, context, Permission.conversations_write);
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        rejections.set(caller, error);
      }
    }
    return rejections;
  }

  /** Creates or changes a contact and adds its tags. */
  private async putTagged(tx: Tx, { context, agentId, input }: PutRequest): Promise<StoredContact> {
    const { tags, ...fields } = input;
    const stored = await putContact(tx, agentId, fields, this.consents);
    if (tags == null || tags.length === 0) return stored;
    const { contact, created } = stored;
    const before = created ? [] : ((await tagsOf(tx, contact.id)) ?? []);
    await changeKnownTags(tx, contact, before, { context, add: tags, remove: [] });
    return stored;
  }

  private authorize(tx: Tx, context: RequestContext, permission: Permission): Promise<void> {
    return assertStillAllowed(tx, context, permission);
  }
}

const contactOf = ({ contactId }: { contactId: string }): string => contactId;

/** Identifies a caller; members sort first, because revoking a key locks the member before the key. */
const callerOf = ({ context: { caller } }: TagRequest): string =>
  caller.kind === "agent" ? `key ${caller.key.id}` : caller.kind === "member" ? `#${caller.sessionId}` : "";

/** A contact to store for an agent. */
interface PutRequest {
  context: RequestContext;
  agentId: string;
  input: PutContactInput;
}

/** Divides contacts, in order, into parts that name each `ref` and each address once. */
function partsOf(requests: readonly PutRequest[]): PutRequest[][] {
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

function listed(reader: EntityManager, agentId: string, { ids }: Filter) {
  const query = reader
    .createQueryBuilder(Contact, "contact")
    .where({ agentId })
    .andWhere("contact.erased_at IS NULL");
  return ids === undefined ? query : query.andWhere({ id: In(ids) });
}

/** Normalized filters of a list. */
interface Filter {
  term: string | undefined;
  tag: string | undefined;
  ids: string[] | undefined;
}

/** The entries of contacts with a tag or matching a search; undefined for all contacts. */
function matchingEntries(reader: EntityManager, agentId: string, { term, tag, ids }: Filter) {
  if (term === undefined) {
    if (tag === undefined) return undefined;
    const tagged = reader
      .createQueryBuilder(ContactTag, "entry")
      .where({ agentId })
      .andWhere("entry.tag = :tag", { tag });
    return ids === undefined ? tagged : tagged.andWhere({ contactId: In(ids) });
  }
  const query = reader
    .createQueryBuilder(ContactTerm, "entry")
    .where({ agentId })
    .andWhere("entry.term = :term", { term });
  if (ids !== undefined) query.andWhere({ contactId: In(ids) });
  if (tag === undefined) return query;
  return query.andWhere(
    "EXISTS (SELECT 1 FROM contact_tag WHERE contact_tag.contact_id = entry.contact_id AND contact_tag.tag = :tag)",
    { tag },
  );
}

/** The contact IDs of a page of entries, plus one more if there is a next page. */
async function idsIn(
  query: SelectQueryBuilder<ContactTag> | SelectQueryBuilder<ContactTerm>,
  { after, limit }: Page,
  direction: "ASC" | "DESC",
): Promise<string[]> {
  if (after !== undefined)
    query.andWhere(`entry.contact_id ${direction === "ASC" ? ">" : "<"} :after`, { after });
  query.select("entry.contact_id", "id").orderBy("entry.contact_id", direction);
  const rows = await query.limit(limit + 1).getRawMany<{ id: string }>();
  return rows.map(({ id }) => id);
}
