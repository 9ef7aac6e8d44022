import type { EntityManager } from "typeorm";
import type { Timestamp } from "../../common/time";
import { placeholders } from "../../database/returning";
import type { ContactTouch } from "../contacts/erase-untouched";

/** Returns when the latest decision about each contact was requested; null while a decision is pending. */
export async function contactsDecidedAbout(
  reader: EntityManager,
  contactIds: readonly string[],
): Promise<ContactTouch[]> {
  const rows: { id: string; at: Timestamp; used: number }[] = await reader.query(
    `select contact_id as id, max(created_at) as at, max(case when state = 'deciding' then 1 else 0 end) as used
     from decision where contact_id in ${placeholders(1, contactIds.length)} group by contact_id`,
    [...contactIds],
  );
  return rows.map(({ id, at, used }) => ({ id, at: used === 1 ? null : at }));
}

/** Returns the conversations whose messages must be retained, because a pending decision will read them. */
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
