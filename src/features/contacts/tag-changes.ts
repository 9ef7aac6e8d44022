import { In } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { groupBy } from "../../common/group-by";
import { timestamp } from "../../common/time";
import { isUuid } from "../../common/uuid";
import { coalesceInTx, coalesceKeysInTx } from "../../database/coalesce-in-tx";
import { insertAll } from "../../database/insert-all";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError, InvalidInput, noSuch } from "../../errors";
import { rejectionsOfCallers } from "../api-keys/assert-accepted";
import { actorOf } from "../audit/audit";
import { recordEvents } from "../events/record-events";
import { Contact } from "./contact.entity";
import type { TagChange } from "./contact.inputs";
import { MAX_TAGS } from "./contact.limits";
import { contactEvent } from "./contact-events";
import { ContactTag } from "./contact-tag.entity";
import { assertNotErased } from "./find-contact";
import { normalizeTag } from "./tags";

export interface TagRequest {
  context: RequestContext;
  contactId: string;
  add: readonly string[];
  remove: readonly string[];
}

/** Changes contacts' tags in one transaction, with one lock per contact. */
export async function changeTagsTogether(
  tx: Tx,
  requests: readonly TagRequest[],
): Promise<(TagChange | GatewayError)[]> {
  const contexts = requests.map(({ context }) => context);
  const rejectionOf = await rejectionsOfCallers(tx, contexts, Permission.conversations_write);
  const results = new Map<TagRequest, TagChange | GatewayError | undefined>();
  const allowed = requests.filter(({ context }) => rejectionOf(context) === undefined);
  const byContact = groupBy(allowed, ({ contactId }) => contactId);
  // Locks contacts in a fixed order, so that batches do not deadlock.
  for (const [id, changes] of [...byContact].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const outcomes = await changeTagsOf(tx, id, changes);
    for (const [i, request] of changes.entries()) results.set(request, outcomes[i]);
  }
  return requests.map((request) => results.get(request) ?? (rejectionOf(request.context) as GatewayError));
}

/**
 * Applies the changes to one contact in order and stores the result.
 * @param requests changes whose callers are still authorized
 * @returns the result or error of each change
 */
async function changeTagsOf(
  tx: Tx,
  contactId: string,
  requests: readonly TagRequest[],
): Promise<(TagChange | GatewayError)[]> {
  // Locks the contact's row, to serialize changes to the contact.
  if (isUuid(contactId)) await tx.update(Contact, { id: contactId }, { version: () => "version" });
  const contact = isUuid(contactId)
    ? await tx.findOne(Contact, { where: { id: contactId }, relations: { agent: true } })
    : null;
  const before = (contact && (await tagsOf(tx, contactId))) ?? [];
  const after = new Map(before.map((tag) => [tag, ""]));
  const results = requests.map((request) => {
    try {
      return apply(request, assertOwn(contact, request.context), after);
    } catch (error) {
      if (error instanceof GatewayError) return error;
      throw error;
    }
  });
  if (contact !== null) await store(tx, contact, new Set(before), after);
  return results;
}

/**
 * Changes a locked contact's tags on behalf of its agent.
 * @param before the contact's current tags
 * @throws GatewayError like `ContactService.changeTags`
 */
export async function changeKnownTags(
  tx: Tx,
  contact: Contact,
  before: readonly string[],
  change: Omit<TagRequest, "contactId">,
): Promise<TagChange> {
  const after = new Map(before.map((tag) => [tag, ""]));
  const result = apply(change, contact, after);
  await store(tx, contact, new Set(before), after);
  return result;
}

/** Returns a contact's tags; undefined if there are none. */
export const tagsOf = coalesceKeysInTx(async (tx: Tx, contactIds) => {
  const rows = await tx.findBy(ContactTag, { contactId: In(contactIds) });
  const byContact = groupBy(rows, ({ contactId }) => contactId);
  return new Map([...byContact].map(([id, ofContact]) => [id, ofContact.map(({ tag }) => tag)]));
});

function assertOwn(contact: Contact | null, context: RequestContext): Contact {
  const { caller } = context;
  const isOwn =
    contact?.agent?.organizationId === organizationOf(context) &&
    (caller.kind !== "agent" || caller.agent.id === contact.agentId);
  if (contact === null || !isOwn) throw noSuch("contact");
  return contact;
}

/**
 * Applies a change in memory; a rejected change leaves the tags unmodified.
 * @param tags the contact's tags; a new tag maps to the name of the actor who added it
 */
function apply(
  { context, add, remove }: Omit<TagRequest, "contactId">,
  contact: Contact,
  tags: Map<string, string>,
): TagChange {
  assertNotErased(contact);
  const wanted = new Set(add.map(normalizeTag));
  const unwanted = new Set(remove.map(normalizeTag));
  if ([...unwanted].some((tag) => wanted.has(tag))) {
    throw new InvalidInput([{ path: "input.remove", message: "must not contain a tag that is also added" }]);
  }
  const added = [...wanted].filter((tag) => !tags.has(tag));
  const removed = [...unwanted].filter((tag) => tags.has(tag));
  if (added.length > 0 && tags.size + added.length - removed.length > MAX_TAGS) {
    throw new GatewayError("limit_reached", `A contact can have at most ${MAX_TAGS} tags.`);
  }
  for (const tag of removed) tags.delete(tag);
  for (const tag of added) tags.set(tag, actorOf(context.caller).actorName);
  return { tags: [...tags.keys()].sort(), changed: [...added, ...removed].sort() };
}

async function store(
  tx: Tx,
  contact: Contact,
  before: ReadonlySet<string>,
  after: ReadonlyMap<string, string>,
): Promise<void> {
  const { id: contactId, agentId } = contact;
  const removed = [...before].filter((tag) => !after.has(tag));
  const added = [...after].filter(([tag]) => !before.has(tag));
  if (removed.length + added.length > 0) {
    const changed = { added: added.map(([tag]) => tag).sort(), removed: removed.sort() };
    recordEvents(tx, [contactEvent("contact.tags_changed", contact, changed)]);
  }
  if (removed.length > 0) await tx.delete(ContactTag, { contactId, tag: In(removed) });
  if (added.length === 0) return;
  const addedAt = timestamp();
  await insertTags(
    tx,
    added.map(([tag, addedBy]) => ({ contactId, agentId, tag, addedAt, addedBy })),
  );
}

const insertTags = coalesceInTx(async (tx: Tx, added: readonly ContactTag[][]) => {
  await insertAll(tx, ContactTag, added.flat());
  return added.map(() => undefined);
});
