import { type EntityManager, In, IsNull, Not, type SelectQueryBuilder } from "typeorm";
import { isAllowed } from "../../auth/authorize";
import type { RequestContext } from "../../auth/context";
import { isUuid } from "../../common/uuid";
import { findContacts } from "../contacts/contact-filter";
import { MAY_READ_MESSAGES } from "../messages/message.access";
import type { Owners } from "./conversation.connection";
import { Conversation } from "./conversation.entity";
import type { ConversationsArgs } from "./conversation.inputs";
import { findLines } from "./destination";
import { findConversationsByText } from "./text-search";

/** A query for the conversations that match a filter; the caller must restrict it to `owners`. */
export interface Matching {
  query: SelectQueryBuilder<Conversation>;
  owners: Owners;
}

/** Returns a query for the agents' conversations that match a filter; null if none can match. */
export async function matchingIn(
  reader: EntityManager,
  context: RequestContext,
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
  // The same text as in the partial index, because SQLite compares the two textually.
  if (needsReply != null) query.andWhere(`conversation.waiting_since IS ${needsReply ? "NOT " : ""}NULL`);
  const contacts = await findContacts(reader, context, agentIds, { search, contactId });
  const ids =
    search != null &&
    isAllowed(context.caller, { allowed: MAY_READ_MESSAGES, whileDeactivated: false }, false)
      ? await findConversationsByText(reader, agentIds, search)
      : [];
  if (contacts === null && ids.length === 0) return null;
  // The texts may be of other contacts.
  if (contactId != null) query.andWhere({ contactId });
  // With a condition on agents, SQLite would read all of the agents' conversations, not just the contacts'.
  if (contacts === null || (contacts !== undefined && "contactIds" in contacts))
    owners = { contactIds: contacts?.contactIds ?? [], ids };
  else if (contacts !== undefined) {
    const either = [contacts.isIn("conversation.contact_id")];
    if (ids.length > 0) either.push("conversation.id IN (:...ids)");
    query.andWhere(`(${either.join(" OR ")})`, { ...contacts.parameters, ids });
  }
  if (line != null) {
    const lines = await findLines(reader, agentIds, line);
    if (lines.length === 0) return null;
    query.andWhere({ lineId: In(lines.map(({ id }) => id)) });
  }
  return { query, owners };
}
