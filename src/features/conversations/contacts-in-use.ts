import type { EntityManager } from "typeorm";
import type { Timestamp } from "../../common/time";
import { placeholders } from "../../database/returning";
import type { ContactTouch } from "../contacts/erase-untouched";
import { IS_UNPLACED, IS_UNSENT } from "../messages/message.entity";

/** Implements `contactsTouched`; a contact with an unsent message or awaiting a reply is in use. */
export async function contactsInConversation(
  reader: EntityManager,
  contactIds: readonly string[],
): Promise<ContactTouch[]> {
  const rows: { id: string; at: Timestamp; used: number }[] = await reader.query(
    `select contact_id as id, max(updated_at) as at, max(case when waiting_since is not null
       or exists (select 1 from message where conversation_id = conversation.id and ${IS_UNSENT})
       or exists (select 1 from message where conversation_id = conversation.id and ${IS_UNPLACED})
       then 1 else 0 end) as used
     from conversation where contact_id in ${placeholders(1, contactIds.length)} group by contact_id`,
    [...contactIds],
  );
  return rows.map(({ id, at, used }) => ({ id, at: used === 1 ? null : at }));
}
