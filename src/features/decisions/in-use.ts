import type { EntityManager } from "typeorm";
import type { Timestamp } from "../../common/time";
import { leastUuidAt } from "../../common/uuid";
import { placeholders } from "../../database/returning";

/** Contacts with recent or pending decisions. */
export async function contactsDecidedAbout(
  reader: EntityManager,
  contactIds: readonly string[],
  since: Timestamp,
): Promise<string[]> {
  const rows: { id: string }[] = await reader.query(
    `select distinct contact_id as id from decision
     where (id >= $1 or state = 'deciding') and contact_id in ${placeholders(1, contactIds.length, 2)}`,
    [leastUuidAt(Date.parse(since)), ...contactIds],
  );
  return rows.map(({ id }) => id);
}

/** Conversations with pending decisions, which read their messages. */
export async function conversationsBeingDecided(
  reader: EntityManager,
  conversationIds: readonly string[],
): Promise<string[]> {
  const rows: { id: string }[] = await reader.query(
    `select distinct conversation_id as id from decision
     where state = 'deciding' and conversation_id in ${placeholders(1, conversationIds.length)}`,
    [...conversationIds],
  );
  return rows.map(({ id }) => id);
}
