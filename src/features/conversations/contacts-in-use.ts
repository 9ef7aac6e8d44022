import type { EntityManager } from "typeorm";
import type { Timestamp } from "../../common/time";
import { placeholders } from "../../database/returning";
import { IS_UNPLACED, IS_UNSENT } from "../messages/message.entity";

/** Contacts with recent conversations, unsent messages, or a conversation that waits for a reply. */
export async function contactsInConversation(
  reader: EntityManager,
  contactIds: readonly string[],
  since: Timestamp,
): Promise<string[]> {
  const rows: { id: string }[] = await reader.query(
    `select distinct contact_id as id from conversation
     where (
       updated_at >= $1 or waiting_since is not null
       or exists (select 1 from message where conversation_id = conversation.id and ${IS_UNSENT})
       or exists (select 1 from message where conversation_id = conversation.id and ${IS_UNPLACED}))
       and contact_id in ${placeholders(1, contactIds.length, 2)}`,
    [since, ...contactIds],
  );
  return rows.map(({ id }) => id);
}
