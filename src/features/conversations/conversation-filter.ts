import { type EntityManager, In, IsNull, Not, type SelectQueryBuilder } from "typeorm";
import { isUuid } from "../../common/uuid";
import { Contact } from "../contacts/contact.entity";
import { termOf } from "../contacts/contact-search";
import { ContactTerm } from "../contacts/contact-term.entity";
import type { Owners } from "./conversation.connection";
import { Conversation } from "./conversation.entity";
import type { ConversationsArgs } from "./conversation.inputs";
import { findLines } from "./destination";

/** The conversations of some owners that match a filter; `query` alone does not limit the owners. */
export interface Matching {
  query: SelectQueryBuilder<Conversation>;
  owners: Owners;
}

/** Max contacts to read conversations by; more contacts have so many that the order's index quickly fills a page. */
const MAX_CONTACTS = 1_000;

/** The agents' contacts that match a search or an ID, up to `MAX_CONTACTS` + 1. */
async function contactsIn(
  reader: EntityManager,
  agentIds: readonly string[],
  { search, contactId }: Pick<ConversationsArgs, "search" | "contactId">,
): Promise<string[]> {
  const agentId = In([...agentIds]);
  if (search == null) {
    const found = await reader.find(Contact, { select: ["id"], where: { id: contactId as string, agentId } });
    return found.map(({ id }) => id);
  }
  const where = { agentId, term: termOf(search), ...(contactId != null && { contactId }) };
  const found = await reader.find(ContactTerm, { select: ["contactId"], where, take: MAX_CONTACTS + 1 });
  return found.map((each) => each.contactId);
}

/** The agents' conversations that match a filter; null if there are none. */
export async function matchingIn(
  reader: EntityManager,
  agentIds: readonly string[],
  filter: Omit<ConversationsArgs, "agentId" | "order" | "first" | "after">,
): Promise<Matching | null> {
  const { state, handler, assigneeId, assigned, needsReply, search, contactId, line } = filter;
  const query = reader.createQueryBuilder(Conversation, "conversation");
  let owners: Owners = { agentIds };
  if (state != null) query.andWhere({ state });
  if (handler != null) query.andWhere({ handler });
  if (assigneeId != null) {
    if (!isUuid(assigneeId)) return null;
    query.andWhere({ assigneeId });
  }
  if (assigned != null) query.andWhere({ assigneeId: assigned ? Not(IsNull()) : IsNull() });
  // Must match the text of the partial index's condition exactly, because SQLite compares the text.
  if (needsReply != null) query.andWhere(`conversation.waiting_since IS ${needsReply ? "NOT " : ""}NULL`);
  if (search != null || contactId != null) {
    if (contactId != null && !isUuid(contactId)) return null;
    const contactIds = await contactsIn(reader, agentIds, { search, contactId });
    if (contactIds.length === 0) return null;
    // A condition on agents would make SQLite read all their conversations, not only those with the contacts.
    if (contactIds.length <= MAX_CONTACTS) owners = { contactIds };
    else
      query.andWhere(
        "EXISTS (SELECT 1 FROM contact_term entry WHERE entry.contact_id = conversation.contact_id AND entry.term = :term)",
        { term: termOf(search as string) },
      );
  }
  if (line != null) {
    const lines = await findLines(reader, agentIds, line);
    if (lines.length === 0) return null;
    query.andWhere({ lineId: In(lines.map(({ id }) => id)) });
  }
  return { query, owners };
}
