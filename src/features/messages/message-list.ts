import { type EntityManager, In, IsNull, Not, type SelectQueryBuilder } from "typeorm";
import { isUuid } from "../../common/uuid";
import { directionOf, type Page, pageOfRows } from "../../pagination/connection";
import { createdBetween } from "../../pagination/created-between";
import { MAX_PARTS, type Part, pageByIdOfParts } from "../../pagination/page-of-parts";
import { partsOfAgents } from "../agents/agent-scope";
import type { ContactFilter } from "../contacts/contact-filter";
import { lineIdOf } from "./line-messages";
import { Message } from "./message.entity";
import { MessageStatus } from "./message.enums";
import type { MessagesArgs } from "./message.inputs";

/** A list's filters, with the agents and contacts that the caller may list. */
export interface MessageFilter
  extends Pick<MessagesArgs, "status" | "statuses" | "held" | "lineId" | "since"> {
  agentIds: readonly string[];
  /** The contacts to list: undefined for all contacts, null for none. */
  contacts?: ContactFilter | null | undefined;
}

function statusesIn({ status, statuses }: MessageFilter): MessageStatus[] | undefined {
  if (status == null) return statuses == null ? undefined : [...new Set(statuses)];
  return statuses == null || statuses.includes(status) ? [status] : [];
}

/** Returns a query for a filter's messages, ignoring its agents and statuses; null if none can match. */
function matching(
  reader: EntityManager,
  { held, lineId, since, contacts }: MessageFilter,
): SelectQueryBuilder<Message> | null {
  if ((lineId != null && !isUuid(lineId)) || contacts === null) return null;
  const query = reader.createQueryBuilder(Message, "message");
  if (held != null) query.andWhere({ heldReason: held ? Not(IsNull()) : IsNull() });
  if (lineId != null) query.andWhere(`${lineIdOf("message")} = :lineId`, { lineId });
  if (contacts !== undefined && "contactIds" in contacts)
    query.andWhere(
      "message.conversation_id IN (SELECT talk.id FROM conversation talk WHERE talk.contact_id IN (:...contactIds))",
      contacts,
    );
  else if (contacts !== undefined)
    query.andWhere(
      `EXISTS (SELECT 1 FROM conversation talk WHERE talk.id = message.conversation_id AND ${contacts.isIn("talk.contact_id")})`,
      contacts.parameters,
    );
  return createdBetween(query, { since });
}

/** True if the filter selects few contacts, whose messages are read by conversation rather than by agent. */
const isOfFew = ({ contacts }: MessageFilter): boolean => contacts != null && "contactIds" in contacts;

/** Returns a query for all messages that match a filter; null if none can match. */
export function messagesIn(reader: EntityManager, filter: MessageFilter): SelectQueryBuilder<Message> | null {
  const statuses = statusesIn(filter);
  const query = matching(reader, filter);
  // Omitted for few contacts, because with this condition SQLite would read all of the agents' messages.
  if (!isOfFew(filter)) query?.andWhere({ agentId: In([...filter.agentIds]) });
  if (statuses !== undefined) query?.andWhere({ status: In(statuses) });
  return query;
}

/** Reads a page of the messages that match a filter. */
export async function pageOfMessages(
  reader: EntityManager,
  filter: MessageFilter,
  page: Page,
  order: MessagesArgs["order"],
): Promise<Message[]> {
  const direction = directionOf(order);
  const parts = partsOf(filter.agentIds, statusesIn(filter));
  if (isOfFew(filter) || parts.length > MAX_PARTS)
    return pageOfRows(messagesIn(reader, filter), page, direction);
  const query = matching(reader, filter);
  return query === null ? [] : pageByIdOfParts(reader, query, parts, { page, direction });
}

/** Splits a list into parts that an index orders by ID: one for each agent and status. */
const partsOf = (agentIds: readonly string[], statuses: readonly MessageStatus[] | undefined): Part[] =>
  partsOfAgents("message", agentIds).flatMap(
    ({ condition, parameters }) =>
      statuses?.map((status) => ({
        condition: `${condition} AND message.status = '${status}'`,
        parameters,
      })) ?? { condition, parameters },
  );
